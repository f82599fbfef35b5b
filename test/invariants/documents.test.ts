import { describe, expect, it } from 'vitest';
import { filesIn, read } from './sources.ts';

/** Documents list every key and every folder. */

describe('docs/access-patterns.md', () => {
  // Key prefixes such as `PROJECT#` and constant keys such as 'SETTINGS'.
  const words = [...read('shared/data/keys.ts').matchAll(/[`'"/^ ]([A-Z][A-Z_]{3,})(?=[#'"`])/g)].map(
    ([, word = '']) => word,
  );

  it.each([...new Set(words)])('describes the items of %s', (word) => {
    expect(read('docs/access-patterns.md')).toMatch(new RegExp(`[\`/ ]${word}[#\`]`));
  });
});

describe('docs/architecture.md', () => {
  it('names every folder of shared/', () => {
    const tree = read('docs/architecture.md');
    const folders = new Set(filesIn('shared/*/**/*.ts').map((file) => file.split('/').slice(0, 2).join('/')));
    expect([...folders].filter((folder) => !tree.includes(`${folder}/`))).toEqual([]);
  });
});
