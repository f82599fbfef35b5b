import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { faultsOf } from '#test/faults/dependencies.ts';
import { filesOf, longFiles, proofOf, proofs } from '../../scripts/proofs.ts';

it('every file with tests that npm test leaves out belongs to a proof of npm run test:full', () => {
  expect(longFiles.size).toBeGreaterThan(0);
  expect([...longFiles].filter((file) => proofOf(file) === undefined)).toEqual([]);
});

it('every pattern of a proof matches a test file that no proof before it has', () => {
  for (const { name, files } of proofs) {
    const own = filesOf(name);
    expect(own).not.toEqual([]);
    expect(files.filter((pattern) => !own.some((file) => matchesGlob(file, pattern)))).toEqual([]);
  }
});

it('the faults of every dependency have a test file', () => {
  const names = Object.keys(faultsOf).map((name) => `test/faults/${name}.full.test.ts`);
  expect(filesOf('faults')).toEqual(expect.arrayContaining(names));
});
