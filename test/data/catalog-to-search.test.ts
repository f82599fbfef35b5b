import { expect, it, vi } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import type { ReadCatalog } from '#catalog/types.ts';
import { catalogToSearch } from '#data/catalog-to-search.ts';
import { project, query } from '../catalog/fixtures.ts';

/** The first search of a process does not keep everybody else waiting. */

const { known } = vi.hoisted((): { known: { catalog?: ReadCatalog } } => ({ known: {} }));
vi.mock('#data/catalog.ts', () => ({ catalog: async () => known.catalog }));

const LISTINGS = 6000;

it('others get their turn between its steps, and it is ready in the end', async () => {
  const catalog = new Catalog();
  known.catalog = catalog;
  for (let n = 0; n < LISTINGS; n += 1)
    catalog.apply([{ kind: 'project', project: project({ id: `prj_${n}`, description: `number ${n}` }) }]);
  let turns = 0;
  let isOver = false;
  const others = () => {
    turns += 1;
    if (!isOver) setImmediate(others);
  };
  setImmediate(others);
  const ready = await catalogToSearch({ q: 'number 17', searchIn: 'public' });
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(5);
  expect(ready.prepareSearch({ q: 'number 17', searchIn: 'public' })).toBe(true);
  // 17, 170 to 179 and 1700 to 1799.
  expect(ready.query(query({ filters: { q: 'number 17', searchIn: 'public' } })).total).toBe(111);
});

it('nobody waits who looks for nothing', async () => {
  known.catalog = new Catalog();
  expect(await catalogToSearch({ q: undefined, searchIn: 'public' })).toBe(known.catalog);
});
