import { expect, it } from 'vitest';
import type { MapClusters } from '#contract/projects.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();

it('a map has at most 2,000 features: otherwise the zoom is lowered until they fit', async () => {
  const names = ['name', 'slug', 'url', 'latitude', 'longitude'];
  const columns = Object.fromEntries(names.map((name) => [name, name]));
  const add = async (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, at) => from + at).map((number) => [
      ...[`Row ${number}`, `row-${number}`, `https://row-${number}.example`],
      ...[Math.floor(number / 50), number % 50],
    ]);
    const mapping = { columns, defaults: { status: 'live', description: 'A row.' } };
    expect(await importFile(server, directory.admin.token, csv(names, ...rows), mapping)).toMatchObject({ failed: 0 });
  };
  const mapOf = async () =>
    (await directory.ok(undefined, 'GET', '/api/projects/map?bbox=-180,-90,180,90&zoom=20')).body as MapClusters;
  await add(0, 1000);
  await add(1000, 2000);
  await server.until(async () => expect((await mapOf()).meta).toEqual({ total: 2000, zoom: 20 }));
  expect((await mapOf()).features).toHaveLength(2000);
  await add(2000, 2001);
  await server.until(async () => expect((await mapOf()).meta.total).toBe(2001));
  const { features, meta } = await mapOf();
  expect([meta.zoom < 20, features.length <= 2000]).toEqual([true, true]);
});
