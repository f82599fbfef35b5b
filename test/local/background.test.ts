import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { runPeriodically } from '#local/background.ts';

const PAUSE_MS = 20;
const RUN_MS = 40;

it('periodic work is repeated after a pause, which is nine times as long as a long run', async () => {
  const started: number[] = [];
  const { promise: repeated, resolve } = Promise.withResolvers<void>();
  const task = runPeriodically(PAUSE_MS, 'failed', async () => {
    started.push(performance.now());
    if (started.length === 2) resolve();
    await wait(RUN_MS);
  });
  await repeated;
  await task.stop();
  const [first = 0, second = 0] = started;
  // Timers may fire a millisecond early.
  expect(second - first).toBeGreaterThanOrEqual(10 * (RUN_MS - 1) - 1);
  expect(started).toHaveLength(2);
});

it('periodic work continues after a failure, and can be stopped during a pause', async () => {
  let runs = 0;
  const { promise: repeated, resolve } = Promise.withResolvers<void>();
  const task = runPeriodically(1, 'failed', async () => {
    runs += 1;
    if (runs === 1) throw new Error('The first run fails.');
    resolve();
  });
  await repeated;
  await task.stop();
  const stoppedAfter = runs;
  await wait(20);
  expect(runs).toBe(stoppedAfter);
});
