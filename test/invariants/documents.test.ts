import { expect, it } from 'vitest';
import { features } from '#contract/route.ts';
import { middleware } from '#http/middleware.ts';
import { filesIn, read } from './sources.ts';

/** Documents list every key and every folder. */

// Key prefixes such as `PROJECT#` and constant keys such as 'SETTINGS'.
const words = [...read('shared/data/keys.ts').matchAll(/[`'"/^ ]([A-Z][A-Z_]{3,})(?=[#'"`])/g)].map(
  ([, word = '']) => word,
);

it.each([...new Set(words)])('docs/access-patterns.md describes the items of %s', (word) => {
  expect(read('docs/access-patterns.md')).toMatch(new RegExp(`[\`/ ]${word}[#\`]`));
});

it('CONTRIBUTING.md names every feature that can be switched off', () => {
  const [, loop = ''] = /^for feature in ([^;]+);/m.exec(read('CONTRIBUTING.md')) ?? [];
  expect(loop.split(/[\s\\]+/).toSorted()).toEqual([...features].toSorted());
});

it('docs/architecture.md names every middleware', () => {
  const table = read('docs/architecture.md').split('## The order of middleware')[1]?.split('\n## ')[0] ?? '';
  const passed = filesIn('shared/http/**/*.ts').flatMap(
    (file) => /: RouteMiddleware[^;]*? name: '(\w+)'/s.exec(read(file))?.[1] ?? [],
  );
  expect(passed).toContain('streaming');
  const names = [...Object.keys(middleware), ...passed];
  expect(names.filter((name) => !table.includes(`| ${name} |`))).toEqual([]);
});

it('docs/architecture.md names every folder of shared/', () => {
  const tree = read('docs/architecture.md');
  const folders = new Set(filesIn('shared/*/**/*.ts').map((file) => file.split('/').slice(0, 2).join('/')));
  expect([...folders].filter((folder) => !tree.includes(`${folder}/`))).toEqual([]);
});
