import { expect, it } from 'vitest';
import { MAP_FEATURES_MAX, type MapClusters } from '#contract/projects.ts';
import { bytesInResponse, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
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

it('a map whose features do not fit into a response has them without logos', async () => {
  const names = ['name', 'url', 'logo_url', 'address_city', 'address_country', 'latitude', 'longitude'];
  const columns = Object.fromEntries(names.map((name) => [name, name]));
  const logo = `https://logo.example/${'漢'.repeat(491)}`;
  const mapping = { columns, defaults: { status: 'live', description: 'A row.' } };
  const add = async (from: number, to: number) => {
    const rows = Array.from({ length: to - from }, (_, at) => from + at).map((number) => [
      ...[`${number}${'"'.repeat(96)}`, `https://large-${number}.example`, logo, '"'.repeat(100), '"'.repeat(100)],
      ...[-60 - Math.floor(number / 400) / 10, -170 + (number % 400) / 10],
    ]);
    expect(await importFile(server, directory.admin.token, csv(names, ...rows), mapping)).toMatchObject({ failed: 0 });
  };
  const mapOf = async () =>
    (await directory.ok(undefined, 'GET', '/api/projects/map?bbox=-180,-90,-100,-50&zoom=20')).body;
  const logosOf = ({ features }: MapClusters) =>
    new Set(features.map(({ properties }) => (properties.cluster ? undefined : properties.logo_url)));
  await add(0, 500);
  await server.until(async () => expect(((await mapOf()) as MapClusters).meta.total).toBe(500));
  expect(logosOf((await mapOf()) as MapClusters)).toEqual(new Set([logo]));
  await add(500, 1250);
  await add(1250, MAP_FEATURES_MAX);
  await server.until(async () => expect(((await mapOf()) as MapClusters).meta.total).toBe(MAP_FEATURES_MAX));
  const body = (await mapOf()) as MapClusters;
  expect(body.features).toHaveLength(MAP_FEATURES_MAX);
  expect(logosOf(body)).toEqual(new Set([null]));
  expect(bytesInResponse(JSON.stringify(body))).toBeLessThan(RESPONSE_BYTES_MAX);
});
