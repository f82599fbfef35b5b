import { describe, expect, it } from 'vitest';
import type { AwsCall } from '#test/support/aws-calls.ts';
import { callsOf } from '#test/support/aws-calls.ts';
import { compare, permissionsOf } from './permissions.ts';
import { synthesize } from './synthesized.ts';

/** The comparison that a whole run of the tests ends with: calls of AWS against the roles of functions. */

const dev = synthesize('dev');

const called = (door: string, ...calls: readonly AwsCall[]) => compare(dev, new Map([[door, calls]]));
const get = (leadingKey: string): AwsCall => ({ action: 'dynamodb:GetItem', resource: 'table', leadingKey });

describe('a call', () => {
  it.each<[string, AwsCall]>([
    ['projects.list', { action: 'dynamodb:Scan', resource: 'table' }],
    ['projects.list', { action: 'dynamodb:Query', resource: 'table', leadingKey: 'SETTINGS' }],
    ['projects.list', { action: 'dynamodb:Query', resource: 'index collection', leadingKey: 'USERS' }],
    ['projects.list', { action: 'dynamodb:UpdateItem', resource: 'table', leadingKey: 'PROJECT#' }],
    ['users.updateProfile', { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'PROJECT#' }],
    ['webhooks.stripe', { action: 'ssm:GetParameter', resource: 'parameter /directory/dev/cron-secret' }],
    ['votes.toggle', { action: 'ses:SendEmail', resource: 'sender' }],
    ['identity.addClaims', get('USER#')],
  ])('of %s is refused where no role allows it: %o', (door, call) => {
    expect(called(door, call).refused).toHaveLength(1);
  });

  it('is allowed within the keys that its permission is limited to', () => {
    expect(called('users.updateProfile', get('USER#')).refused).toEqual([]);
    expect(called('users.updateProfile', get('PROJECT#')).refused).toHaveLength(1);
  });
});

describe('a right', () => {
  const idleOf = (door: string, ...calls: readonly AwsCall[]) =>
    called(door, ...calls).idle.filter((line) => line.startsWith(`${door}:`));

  it('is idle until it is used', () => {
    const before = idleOf('settings.readLayout');
    expect(before).toContain('settings.readLayout: reading items by their keys on table');
    expect(idleOf('settings.readLayout', get('SETTINGS'))).toEqual(
      before.filter((line) => !line.includes('reading items')),
    );
  });

  it('is not needed for what a narrower one allows', () => {
    expect(idleOf('settings.readLayout', get('USER#'))).toContain(
      'settings.readLayout: reading items by their keys on table',
    );
  });

  it('is not what the platform does in the role of a function', () => {
    expect(permissionsOf(dev, 'events.publish')).toEqual([
      { action: 'events:PutEvents', resource: 'bus', leadingKeys: undefined },
    ]);
  });
});

describe('a transaction', () => {
  it('is asked for part by part, a batch key by key', () => {
    const Key = { pk: 'PROJECT#prj_1', sk: 'CARD' };
    expect(
      callsOf('TransactWriteItems', {
        TransactItems: [{ Put: { Item: { pk: { S: 'SLUG#x' } } } }, { ConditionCheck: { Key } }],
      }),
    ).toEqual([
      { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'SLUG#' },
      { action: 'dynamodb:ConditionCheckItem', resource: 'table', leadingKey: 'PROJECT#' },
    ]);
    expect(callsOf('BatchGet', { RequestItems: { directory: { Keys: [Key, { pk: 'FEED', sk: 'x' }] } } })).toEqual([
      { action: 'dynamodb:BatchGetItem', resource: 'table', leadingKey: 'PROJECT#' },
      { action: 'dynamodb:BatchGetItem', resource: 'table', leadingKey: 'FEED' },
    ]);
  });

  it('that nobody has described is not passed over', () => {
    expect(() => callsOf('ExecuteStatement', {})).toThrow('Say in test/support/aws-calls.ts');
  });
});
