import { expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { MAP_ITEMS_MAX, type MapItem, map } from '#contract/projects.ts';
import { encode } from '#http/response-body.ts';
import type { ProjectRecord } from '#model/project.ts';
import { bytesInResponse, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import { mapFeed } from '#services/projects/list.ts';
import { project } from '#test/catalog/fixtures.ts';

const catalogOf = (count: number, fields: Partial<ProjectRecord>): Catalog => {
  const catalog = new Catalog();
  catalog.apply(
    Array.from({ length: count }, (_, at) => ({
      kind: 'project' as const,
      project: project({
        ...{ id: `prj_${at}`, latitude: Math.floor(at / 100), longitude: at % 100 },
        created_at: new Date(Date.UTC(2026, 0, 1, 0, 0, at)).toISOString(),
        ...fields,
      }),
    })),
  );
  return catalog;
};

const feedOf = (catalog: Catalog): { readonly items: readonly MapItem[]; readonly bytes: number } => {
  const { text } = encode(map, 200, mapFeed(catalog));
  const { items } = JSON.parse(text) as { items: MapItem[] };
  return { items, bytes: bytesInResponse(text) };
};

const logo = (length: number, character = 'x'): string => `https://logo.example/${character.repeat(length - 21)}`;
/** Every text at its limit, in characters that take the most bytes. */
const largest = {
  ...{ name: '"'.repeat(100), logo_url: logo(512, '漢'), categories: Array.from({ length: 5 }, () => 'c'.repeat(100)) },
  ...{ address_city: '"'.repeat(100), address_country: '"'.repeat(100) },
};

it('the map feed leaves out logos of more than 512 characters, whose listings stay', () => {
  expect(feedOf(catalogOf(1, { logo_url: logo(512) })).items).toMatchObject([{ logo_url: logo(512) }]);
  expect(feedOf(catalogOf(1, { logo_url: logo(513) })).items).toMatchObject([{ logo_url: null }]);
  const { items, bytes } = feedOf(catalogOf(MAP_ITEMS_MAX, { logo_url: logo(1200) }));
  expect(items).toHaveLength(MAP_ITEMS_MAX);
  expect(bytes).toBeLessThan(RESPONSE_BYTES_MAX);
});

it('the map feed leaves out the oldest listings that do not fit into a response, and only those', () => {
  const { items, bytes } = feedOf(catalogOf(MAP_ITEMS_MAX, largest));
  expect(bytes).toBeLessThanOrEqual(RESPONSE_BYTES_MAX);
  expect(bytes).toBeGreaterThan(0.99 * RESPONSE_BYTES_MAX);
  expect(items.map(({ id }) => id)).toEqual(items.map((_, at) => `prj_${MAP_ITEMS_MAX - 1 - at}`));
});
