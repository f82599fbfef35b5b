import { describe, expect, it } from 'vitest';
import { configOf } from '#lib/config.ts';
import { feedLoad, herdOf, PARTITION_UNITS } from '../../scripts/costs/catalog-cost.ts';
import { hitRatio } from '../../scripts/costs/edge-cache.ts';
import { MIX } from '../../scripts/costs/month-cost.ts';
import { mostUsed } from '../../scripts/costs/most-used.ts';

/** The formulas behind docs/cost.md. */

const ONE = { feedShards: 1 };

describe('the cost of following the feed', () => {
  it('is what was measured with one, and with ten changes a second (docs/adr/0031)', () => {
    expect(feedLoad(0, ONE).inOnePartition).toBeCloseTo(0.5, 1);
    expect(feedLoad(1, ONE).inOnePartition).toBeCloseTo(1.1, 1);
    expect(feedLoad(10, ONE).inOnePartition).toBeGreaterThan(8);
    expect(feedLoad(10, ONE).inOnePartition).toBeLessThan(10);
  });

  it('reaches the limit of a partition at some hundred processes with ten changes a second', () => {
    const processes = PARTITION_UNITS / feedLoad(10, ONE).inOnePartition;
    expect(processes).toBeGreaterThan(300);
    expect(processes).toBeLessThan(400);
  });
});

describe('the cost of a herd of cold processes', () => {
  it('grows with processes and listings, and is lower from a snapshot', () => {
    const config = configOf('prod');
    const one = herdOf(100, 50_000, 'snapshot', config);
    expect(one.units / 100).toBeGreaterThan(1000);
    expect(one.units / 100).toBeLessThan(1200);
    expect(herdOf(1000, 50_000, 'snapshot', config).units).toBe(10 * one.units);
    const feed = herdOf(100, 50_000, 'feed', config);
    expect(feed.units).toBeGreaterThan(7 * one.units);
    expect(feed.dollars).toBeGreaterThan(one.dollars);
  });
});

describe('the mix of requests', () => {
  it('consists of measured routes and is complete', () => {
    expect(Object.keys(MIX).filter((id) => !mostUsed.some(({ route }) => route === id))).toEqual([]);
    expect(Object.values(MIX).reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
  });
});

describe('the hits of a cache of one second', () => {
  it('grow with the rate, from none to almost all', () => {
    const ratios = [0, 1, 10, 100, 1_000_000_000].map(hitRatio);
    expect(ratios[0]).toBe(0);
    expect(ratios.at(-1)).toBeGreaterThan(0.99);
    expect(ratios).toEqual(ratios.toSorted((one, other) => one - other));
  });
});
