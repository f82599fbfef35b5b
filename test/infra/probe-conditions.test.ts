import { expect, it } from 'vitest';
import { configOf } from '#lib/config.ts';
import { longTest } from '#test/support/long-test.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';
import { permissionsOf, permits } from './permissions.ts';
import { synthesize } from './synthesized.ts';

/** What docs/first-deployment.md does about the conditions of roles. */

interface Result {
  readonly probe: string;
  readonly expected: 'allowed' | 'denied';
  readonly outcome: 'allowed' | 'denied';
}

const { scan } = withBareTable();

it('the probe of conditions performs valid writes, of which an engine without roles allows all and stores none', async () => {
  const { handler } = (await import(new URL('../../scripts/probe-conditions.mjs', import.meta.url).href)) as {
    handler: () => Promise<Result[]>;
  };
  const results = await handler();
  expect(results.map(({ expected }) => expected)).toEqual([
    'allowed',
    'denied',
    'denied',
    'allowed',
    'denied',
    'denied',
  ]);
  expect(new Set(results.map(({ outcome }) => outcome))).toEqual(new Set(['allowed']));
  expect(await scan()).toEqual([]);
});

it('the probe of conditions expects what the role of its function says', () => {
  const permissions = permissionsOf(synthesize('dev'), 'users.updateProfile');
  const isAllowed = (action: string, leadingKey: string, attributes?: readonly string[]) =>
    permissions.some((permission) =>
      permits(permission, {
        action: `dynamodb:${action}`,
        resource: 'table',
        leadingKey,
        ...(attributes && { attributes }),
      }),
    );
  expect(isAllowed('UpdateItem', 'USER#', ['pk', 'name'])).toBe(true);
  expect(isAllowed('UpdateItem', 'USER#', ['pk', 'is_admin'])).toBe(false);
  expect(isAllowed('PutItem', 'SETTINGS')).toBe(false);
});

longTest('itemConditions: false removes the conditions on keys and attributes from all roles', () => {
  const conditionsOf = (itemConditions: boolean) =>
    JSON.stringify(synthesize(configOf('trial', { trial: { features: {}, itemConditions } })).all).match(
      /dynamodb:(?:LeadingKeys|Attributes)/g,
    ) ?? [];
  expect(conditionsOf(true).length).toBeGreaterThan(100);
  expect(conditionsOf(false)).toEqual([]);
});
