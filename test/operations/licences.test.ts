import { expect, it } from 'vitest';
import { isPermissive, licenceList, licencesOf } from '../../scripts/licences/production.ts';

/** The rules of the licence check; the packages of this project are checked by `npm run check`. */

const check = (packages: Parameters<typeof licencesOf>[0]['packages'], installed: Record<string, string> = {}) =>
  licencesOf({ packages: { '': {}, ...packages } }, (path) => installed[path]);

it.each([
  'MIT',
  'Apache-2.0',
  '(MIT OR Apache-2.0)',
  'GPL-3.0-only OR MIT',
  'MIT AND ISC',
  '(MIT AND ISC)',
  'Unlicense',
])('%s is permissive', (expression) => {
  expect(isPermissive(expression)).toBe(true);
});

it.each([
  'GPL-3.0-only',
  'MIT AND GPL-2.0-only',
  'MPL-2.0',
  'SEE LICENSE IN LICENSE.md',
  'UNLICENSED',
  'mit',
  '',
  'Apache-2.0 WITH LLVM-exception',
  '(MIT AND (GPL-2.0-only OR ISC))',
])('%s is not permissive', (expression) => {
  expect(isPermissive(expression)).toBe(false);
});

it('production packages exclude development packages and include nested ones', () => {
  const { packages, problems } = check({
    'node_modules/a': { license: 'MIT' },
    'node_modules/a/node_modules/@b/c': { license: 'ISC' },
    'node_modules/tool': { license: 'GPL-3.0-only', dev: true },
  });
  expect([packages.map(({ name }) => name), problems]).toEqual([['@b/c', 'a'], []]);
});

it('production packages must have a permissive licence that matches the lock file', () => {
  expect(check({ 'node_modules/a': { license: 'GPL-3.0-only' } }).problems).toEqual([
    expect.stringContaining('a has the licence GPL'),
  ]);
  expect(check({ 'node_modules/a': {} }).problems).toEqual(['a declares no licence.']);
  expect(check({ 'node_modules/a': { license: 'MIT' } }, { 'node_modules/a': 'AGPL-3.0-only' }).problems).toHaveLength(
    2,
  );
});

it('production packages have the licence of their sibling when they are builds for another platform', () => {
  const sibling = { license: 'MIT', optional: true, version: '1.0.0' };
  const build = { optional: true, version: '1.0.0' };
  expect(check({ 'node_modules/@e/linux': sibling, 'node_modules/@e/win': build }).problems).toEqual([]);
  expect(check({ 'node_modules/@e/linux': sibling, 'node_modules/@f/win': build }).problems).toHaveLength(1);
  const other = { optional: true, version: '2.0.0' };
  expect(check({ 'node_modules/@e/linux': sibling, 'node_modules/@e/win': other }).problems).toHaveLength(1);
});

it('production packages are listed by licence', () => {
  const list = licenceList([
    { name: 'b', licence: '(MIT OR Apache-2.0)' },
    { name: 'c', licence: 'ISC' },
  ]);
  expect(list).toBe('| Licence | Packages |\n|---|---|\n| ISC | `c` |\n| MIT OR Apache-2.0 | `b` |');
});
