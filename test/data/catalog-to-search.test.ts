import { expect, it, vi } from 'vitest';
import { Catalog } from '#catalog/catalog.ts';
import { indexInSteps, prepareInSteps } from '#data/catalog.ts';
import { project, query } from '#test/catalog/fixtures.ts';
import { stopClocks } from '#test/support/virtual-time.ts';

const LISTINGS = 6000;

const filled = (): Catalog => {
  const catalog = new Catalog();
  for (let n = 0; n < LISTINGS; n += 1)
    catalog.apply([{ kind: 'project', project: project({ id: `prj_${n}`, description: `number ${n}` }) }]);
  return catalog;
};

/** Counts how often other work ran beside some work; it takes so many milliseconds each time. */
const timesBeside = async (milliseconds: number, work: () => Promise<void>): Promise<number> => {
  let times = 0;
  let isOver = false;
  const otherWork = () => {
    if (isOver) return;
    times += 1;
    vi.advanceTimersByTime(milliseconds);
    setImmediate(otherWork);
  };
  setImmediate(otherWork);
  await work();
  isOver = true;
  return times;
};

it('the preparation of the first text search serves other work between its steps and leaves the search ready', async () => {
  stopClocks();
  const catalog = filled();
  const times = await timesBeside(0, () => prepareInSteps(catalog, { q: 'number 17', searchIn: 'public' }));
  expect(times).toBeGreaterThanOrEqual(5);
  expect(catalog.prepareSearch({ q: 'number 17', searchIn: 'public' })).toBe(true);
  // 17, 170 to 179 and 1700 to 1799.
  expect(catalog.query(query({ filters: { q: 'number 17', searchIn: 'public' } })).total).toBe(111);
});

it('the words are indexed in steps beside short requests, and for as long as they take beside long ones', async () => {
  stopClocks();
  const search = { q: 'number', searchIn: 'public', needsWords: true } as const;
  const [idle, busy] = [filled(), filled()];
  await prepareInSteps(idle, search);
  expect(await timesBeside(0, () => indexInSteps(idle, false))).toBeGreaterThanOrEqual(5);
  await prepareInSteps(busy, search);
  expect(await timesBeside(500, () => indexInSteps(busy, false))).toBeLessThan(5);
  for (const catalog of [idle, busy]) expect(catalog.indexWords(false)).toBe(true);
});
