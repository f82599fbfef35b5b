import { describe, expect, it } from 'vitest';
import { filesIn, read } from './sources.ts';

/** What documents say of all there is. */

describe('docs/access-patterns.md', () => {
  // What keys begin with, such as `PROJECT#`, and keys that are one word, such as 'SETTINGS'.
  const words = [...read('shared/data/keys.ts').matchAll(/[`'"/^ ]([A-Z][A-Z_]{3,})(?=[#'"`])/g)].map(
    ([, word = '']) => word,
  );

  it.each([...new Set(words)])('says where %s stands', (word) => {
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
