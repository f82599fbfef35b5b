import { describe, expect, it } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { prepareInSteps } from '#data/catalog.ts';
import { project, query } from '#test/catalog/fixtures.ts';

const LISTINGS = 6000;

describe('the preparation of the first text search', () => {
  it('serves other work between its steps and leaves the search ready', async () => {
    const catalog = new Catalog();
    for (let n = 0; n < LISTINGS; n += 1)
      catalog.apply([{ kind: 'project', project: project({ id: `prj_${n}`, description: `number ${n}` }) }]);
    let iterations = 0;
    let isOver = false;
    const otherWork = () => {
      iterations += 1;
      if (!isOver) setImmediate(otherWork);
    };
    setImmediate(otherWork);
    await prepareInSteps(catalog, { q: 'number 17', searchIn: 'public' });
    isOver = true;
    expect(iterations).toBeGreaterThanOrEqual(5);
    expect(catalog.prepareSearch({ q: 'number 17', searchIn: 'public' })).toBe(true);
    // 17, 170 to 179 and 1700 to 1799.
    expect(catalog.query(query({ filters: { q: 'number 17', searchIn: 'public' } })).total).toBe(111);
  });

  it('does nothing without a search text', async () => {
    const catalog = new Catalog();
    for (let n = 0; n < LISTINGS; n += 1) catalog.apply([{ kind: 'project', project: project({ id: `prj_${n}` }) }]);
    let iterations = 0;
    const immediate = setImmediate(() => {
      iterations += 1;
    });
    await prepareInSteps(catalog, { q: undefined, searchIn: 'public' });
    clearImmediate(immediate);
    expect(iterations).toBe(0);
  });
});
