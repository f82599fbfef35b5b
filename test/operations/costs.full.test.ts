import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { runCommand } from '#test/support/command.ts';
import { type Observation, observeAll } from '../../scripts/costs/load-observer.ts';
import { topRoutes } from '../../scripts/costs/top-routes.ts';

const observed = JSON.parse(readFileSync('docs/observed-costs.json', 'utf8')) as Observation[];

it('documents the costs of the most used routes', () => {
  expect(observed.map(({ sample }) => sample)).toEqual(topRoutes);
  for (const { route, method } of topRoutes) expect(routes.find(({ id }) => id === route)?.method).toBe(method);
});

// Capacity units do not depend on the machine, so an increase of a request's consumption fails here.
it('documents the consumption that DynamoDB reports', async () => {
  const some = ['projects.read', 'votes.toggle'];
  const samples = topRoutes.filter(({ route }) => some.includes(route));
  const seen = await observeAll(() => undefined, samples, { tries: 1, quietMs: 1100, settleMs: 0 });
  expect(seen.map(({ sample, own }) => [sample.route, own])).toEqual(
    observed.filter(({ sample }) => some.includes(sample.route)).map(({ sample, own }) => [sample.route, own]),
  );
}, 600_000);

it('documents costs that match the prices and templates', async () => {
  const { code, errors } = await runCommand('scripts/costs.ts', ['--check']);
  expect([code, code === 0 ? '' : errors]).toEqual([0, '']);
}, 600_000);
