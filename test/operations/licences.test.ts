import { describe, expect, it } from 'vitest';
import { isPermissive, licenceList, licencesOf } from '../../scripts/licences/production.ts';

/** What is found out about the licences of packages; that those of this project are in order is a step of the check. */

const check = (packages: Parameters<typeof licencesOf>[0]['packages'], installed: Record<string, string> = {}) =>
  licencesOf({ packages: { '': {}, ...packages } }, (path) => installed[path]);

describe('an expression', () => {
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
  ])('%s is not', (expression) => {
    expect(isPermissive(expression)).toBe(false);
  });
});

describe('the packages of production', () => {
  it('are all but those of development, also those inside others', () => {
    const { packages, complaints } = check({
      'node_modules/a': { license: 'MIT' },
      'node_modules/a/node_modules/@b/c': { license: 'ISC' },
      'node_modules/tool': { license: 'GPL-3.0-only', dev: true },
    });
    expect([packages.map(({ name }) => name), complaints]).toEqual([['@b/c', 'a'], []]);
  });

  it('must each have a permissive licence, and the one that the lock file says', () => {
    expect(check({ 'node_modules/a': { license: 'GPL-3.0-only' } }).complaints).toEqual([
      expect.stringContaining('a is under GPL'),
    ]);
    expect(check({ 'node_modules/a': {} }).complaints).toEqual(['a states no licence.']);
    expect(
      check({ 'node_modules/a': { license: 'MIT' } }, { 'node_modules/a': 'AGPL-3.0-only' }).complaints,
    ).toHaveLength(2);
  });

  it('are under the licence of their sibling where they are builds for another platform', () => {
    const sibling = { license: 'MIT', optional: true, version: '1.0.0' };
    const build = { optional: true, version: '1.0.0' };
    expect(check({ 'node_modules/@e/linux': sibling, 'node_modules/@e/win': build }).complaints).toEqual([]);
    expect(check({ 'node_modules/@e/linux': sibling, 'node_modules/@f/win': build }).complaints).toHaveLength(1);
    const other = { optional: true, version: '2.0.0' };
    expect(check({ 'node_modules/@e/linux': sibling, 'node_modules/@e/win': other }).complaints).toHaveLength(1);
  });

  it('are listed by licence', () => {
    const list = licenceList([
      { name: 'b', licence: '(MIT OR Apache-2.0)' },
      { name: 'c', licence: 'ISC' },
    ]);
    expect(list).toBe('| Licence | Packages |\n|---|---|\n| ISC | `c` |\n| MIT OR Apache-2.0 | `b` |');
  });
});
