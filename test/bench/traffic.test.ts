import { describe, expect, it } from 'vitest';
import { simulate } from '../../bench/catalog/traffic.ts';

const warm = { requestsPerMonth: 300_000, serviceMs: 10, coldMs: 1000, writesPerSecond: 0.2 };

describe('a simulated month', () => {
  it('is the same for the same seed', () => {
    expect(simulate(warm, 7)).toEqual(simulate(warm, 7));
    expect(simulate(warm, 8)).not.toEqual(simulate(warm, 7));
  });

  it('has as much work as there are requests and cold starts', () => {
    const { coldStarts, workSeconds } = simulate(warm);
    const requests = (workSeconds - coldStarts) / 0.01;
    expect(requests / warm.requestsPerMonth).toBeCloseTo(1, 1);
  });

  it('looks at the feed at most once a second for each process', () => {
    const busy = simulate({ ...warm, requestsPerMonth: 30_000_000 });
    expect(busy.looks).toBeLessThanOrEqual(30 * 86_400 * busy.processes);
    expect(busy.looks).toBeLessThan(30_000_000 / 5);
  });

  it('starts a process anew when none was needed for minutes, and at least every two hours', () => {
    const rare = simulate({ ...warm, requestsPerMonth: 3000 });
    expect(rare.coldStarts).toBeGreaterThan(1500);
    expect(simulate(warm).coldStarts).toBeGreaterThanOrEqual(30 * 12);
  });

  it('starts more of them when a start takes long', () => {
    expect(simulate({ ...warm, coldMs: 60_000 }).coldStarts).toBeGreaterThan(simulate(warm).coldStarts);
  });

  it('reads more items where more is written', () => {
    const few = simulate(warm);
    const many = simulate({ ...warm, writesPerSecond: 10 });
    expect(many.itemsRead).toBeGreaterThan(10 * few.itemsRead);
  });
});
