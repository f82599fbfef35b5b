import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { mostUsed } from '../../scripts/costs/most-used.ts';
import { type Observation, observeAll } from '../../scripts/costs/observing.ts';
import { runCommand } from '../support/command.ts';

/** What docs/cost.md says a request costs. */

const observed = JSON.parse(readFileSync('docs/observed-costs.json', 'utf8')) as Observation[];

it('is told for ten routes that there are', () => {
  expect(observed.map(({ sample }) => sample)).toEqual(mostUsed);
  expect(mostUsed).toHaveLength(10);
  for (const { route, method } of mostUsed) expect(routes.find(({ id }) => id === route)?.method).toBe(method);
});

// Units do not change with the machine: a request that comes to need more of them is noticed here.
it('is what the table says', async () => {
  const some = ['projects.read', 'votes.toggle'];
  const samples = mostUsed.filter(({ route }) => some.includes(route));
  const seen = await observeAll(() => undefined, samples, { tries: 1, quietMs: 1100, settleMs: 0 });
  expect(seen.map(({ sample, own }) => [sample.route, own])).toEqual(
    observed.filter(({ sample }) => some.includes(sample.route)).map(({ sample, own }) => [sample.route, own]),
  );
}, 60_000);

it('is what prices and templates make of it', async () => {
  const { code, errors } = await runCommand('scripts/costs.ts', ['--check']);
  expect([code, code === 0 ? '' : errors]).toEqual([0, '']);
}, 60_000);
