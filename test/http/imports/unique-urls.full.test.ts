import { describe, expect, it } from 'vitest';
import { type Meta, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory({ env: { DUPLICATE_URLS: 'reject' } });

const header = ['slug', 'name', 'url', 'description'];
const columns = Object.fromEntries(header.map((name) => [name, name]));
const run = (rows: readonly (readonly string[])[], more: object = {}) =>
  importFile(server, directory.admin.token, csv(header, ...rows), { columns, ...more });

const countMatches = async (q: string): Promise<number> => {
  const { body } = await directory.get(`/api/admin/projects?q=${q}&status=all`, directory.admin);
  return (body as { meta: Meta }).meta.total;
};

describe('an import with unique URLs', () => {
  longTest('creates one project per URL when several imports run concurrently', async () => {
    const word = unique('each');
    const rows = Array.from({ length: 80 }, (_, n) => ['', `${word} ${n}`, `https://${word}.example/${n}`, 'x']);
    const reports = await Promise.all([run(rows), run(rows), run(rows, { match_by: 'url' })]);
    expect(reports.reduce((sum, { created }) => sum + created, 0)).toBe(80);
    expect(reports.map(({ created, skipped, failed }) => created + skipped + failed)).toEqual([80, 80, 80]);
    expect(await countMatches(word)).toBe(80);
  });

  it('moves URLs between projects in the order of the rows', async () => {
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

  it('fails rows whose URL belongs to a stored project or an earlier row, but not to a deleted project', async () => {
    const host = unique('unique');
    const [one, two, three, four] = [unique('one'), unique('two'), unique('three'), unique('four')];
    const owner = await person(server);
    const known = await directory.live(owner, { url: `https://www.${host}.example/` });
    await directory.project('deleted', owner, { url: `https://deleted-${host}.example` });
    const report = await run(
      [
        [one, 'n', `http://${host}.example`, 'x'],
        [two, 'n', `https://new-${host}.example`, 'x'],
        [three, 'n', `https://new-${host}.example/#top`, 'x'],
        [known.slug, 'n', `https://${host}.example`, 'x'],
        [four, 'n', `https://deleted-${host}.example`, 'x'],
        [two, 'n', `https://${host}.example`, 'x'],
      ],
      { on_conflict: 'update' },
    );
    expect(report).toMatchObject({ created: 2, updated: 1, failed: 3 });
    expect(report.errors.map(({ row, column }) => [row, column])).toEqual([2, 4, 7].map((number) => [number, 'url']));
  });
});
