import { describe, expect, it } from 'vitest';
import { type Directory, type Meta, person, unique } from '#test/support/fixtures.ts';
import { csv, imported } from '#test/support/uploads.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Imports into a directory that refuses a second project with an address. */

let world: TestWorld;
let directory: Directory;

withDirectory(
  (opened) => {
    ({ world, directory } = opened);
  },
  { env: { DUPLICATE_URLS: 'reject' } },
);

const header = ['slug', 'name', 'url', 'description'];
const columns = Object.fromEntries(header.map((name) => [name, name]));
const run = (rows: readonly (readonly string[])[], more: object = {}) =>
  imported(world, directory.admin.token, csv(header, ...rows), { columns, ...more });

const liveWith = async (q: string): Promise<number> => {
  const { body } = await directory.get(`/api/admin/projects?q=${q}&status=all`, directory.admin);
  return (body as { meta: Meta }).meta.total;
};

describe('an import where addresses are unique', () => {
  it('fails rows whose address another project has, and stores the others', async () => {
    const host = unique('taken');
    await directory.live(await person(world), { url: `https://www.${host}.example` });
    const report = await run([
      ['', 'a', `https://${host}.example/`, 'x'],
      ['', 'b', `https://${host}.example/other`, 'x'],
      ['', 'c', `http://${host}.example/other#top`, 'x'],
    ]);
    expect(report).toMatchObject({ created: 1, failed: 2 });
    expect(report.errors.map(({ row, column }) => [row, column])).toEqual([
      [2, 'url'],
      [4, 'url'],
    ]);
    const submitted = { url: `https://${host}.example/other`, categories: [directory.category] };
    const refused = await directory.as(await person(world), 'POST', '/api/projects', {
      plan: 'standard',
      name: 'd',
      description: 'x',
      pricing_type: 'free',
      ...submitted,
    });
    expect(refused).toMatchObject({ status: 409, body: { code: 'DUPLICATE_URL' } });
  });

  it('lets one of several imports have each address', async () => {
    const word = unique('each');
    const rows = Array.from({ length: 80 }, (_, n) => ['', `${word} ${n}`, `https://${word}.example/${n}`, 'x']);
    const reports = await Promise.all([run(rows), run(rows), run(rows, { match_by: 'url' })]);
    expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(80);
    expect(reports.map(({ created, skipped, failed }) => created + skipped + failed)).toEqual([80, 80, 80]);
    expect(await liveWith(word)).toBe(80);
  });

  it('moves addresses between projects in the order of the rows', async () => {
    const host = unique('moved');
    const [a, b] = [unique('a'), unique('b')];
    await run([[a, 'A', `https://${host}.example/1`, 'x']]);
    const report = await run(
      [
        [a, 'A', `https://${host}.example/2`, 'x'],
        [b, 'B', `https://${host}.example/1`, 'x'],
      ],
      { on_conflict: 'update' },
    );
    expect(report).toMatchObject({ created: 1, updated: 1, failed: 0 });
    expect((await directory.read(a)).url).toBe(`https://${host}.example/2`);
    expect((await directory.read(b)).url).toBe(`https://${host}.example/1`);
  });
});
