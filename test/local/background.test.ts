import { setTimeout as wait } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { runPeriodically } from '#local/background.ts';
import { stopClocks } from '#test/support/virtual-time.ts';

it.each([
  ['takes hardly any time', 1, [1000, 2001, 3002]],
  ['is short', 100, [1000, 2100, 3200]],
  ['is long', 400, [1000, 1000 + 400 + 3600, 1000 + 2 * (400 + 3600)]],
])(
  'periodic work that %s is repeated after a pause, which is nine times as long at least',
  async (_, runMs, expected) => {
    stopClocks();
    const startedAt = Date.now();
    const runs: number[] = [];
    const task = runPeriodically(1000, 'failed', async () => {
      runs.push(Date.now() - startedAt);
      await wait(runMs);
    });
    await vi.advanceTimersByTimeAsync((expected.at(-1) ?? 0) + runMs);
    await task.stop();
    expect(runs).toEqual(expected);
  },
);

it('periodic work continues after a failure, and can be stopped during a pause', async () => {
  stopClocks();
  let runs = 0;
  const task = runPeriodically(1000, 'failed', async () => {
    runs += 1;
    if (runs === 1) throw new Error('The first run fails.');
  });
  await vi.advanceTimersByTimeAsync(2500);
  expect(runs).toBe(2);
  await task.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(runs).toBe(2);
});
