import { describe, expect, it } from 'vitest';
import { simulate } from '../../bench/catalog/traffic.ts';

const warm = { requestsPerMonth: 300_000, serviceMs: 10, coldMs: 1000, writesPerSecond: 0.2 };

describe('a simulated month', () => {
  it('is the same for the same seed', () => {
    expect(simulate(warm, 7)).toEqual(simulate(warm, 7));
    expect(simulate(warm, 8)).not.toEqual(simulate(warm, 7));
  });

  it('has work in proportion to requests and cold starts', () => {
    const { coldStarts, workSeconds } = simulate(warm);
    const requests = (workSeconds - coldStarts) / 0.01;
    expect(requests / warm.requestsPerMonth).toBeCloseTo(1, 1);
  });

  it('refreshes at most once a second per process', () => {
    const busy = simulate({ ...warm, requestsPerMonth: 30_000_000 });
    expect(busy.refreshes).toBeLessThanOrEqual(30 * 86_400 * busy.processes);
    expect(busy.refreshes).toBeLessThan(30_000_000 / 5);
  });

  it('starts a process after minutes without requests, and at least every two hours', () => {
    const rare = simulate({ ...warm, requestsPerMonth: 3000 });
    expect(rare.coldStarts).toBeGreaterThan(1500);
    expect(simulate(warm).coldStarts).toBeGreaterThanOrEqual(30 * 12);
  });

  it('starts more processes when a cold start takes longer', () => {
    expect(simulate({ ...warm, coldMs: 60_000 }).coldStarts).toBeGreaterThan(simulate(warm).coldStarts);
  });

  it('reads more items when more is written', () => {
    const few = simulate(warm);
    const many = simulate({ ...warm, writesPerSecond: 10 });
    expect(many.itemsRead).toBeGreaterThan(10 * few.itemsRead);
  });
});
