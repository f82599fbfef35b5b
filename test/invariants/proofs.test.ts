import { matchesGlob } from 'node:path';
import { expect, it } from 'vitest';
import { filesOf, longFiles, proofOf, proofs } from '../../scripts/proofs.ts';

it('every file with tests that npm test leaves out belongs to a proof of npm run test:full', () => {
  expect(longFiles.length).toBeGreaterThan(0);
  expect(longFiles.filter((file) => proofOf(file) === undefined)).toEqual([]);
});

it('every pattern of a proof matches a test file that no proof before it has', () => {
  for (const { name, files } of proofs) {
    const own = filesOf(name);
    expect(own).not.toEqual([]);
    expect(files.filter((pattern) => !own.some((file) => matchesGlob(file, pattern)))).toEqual([]);
  }
});
