import { describe, expect, it } from 'vitest';
import { handlerFiles } from '#lib/handlers.ts';
import { type AwsCall, callsOf } from '#test/support/aws-calls.ts';
import { compare, permissionsOf, permits } from './permissions.ts';
import { synthesize } from './synthesized.ts';

/** The comparison of recorded AWS calls with the roles of functions, which ends a whole test run. */

const dev = synthesize('dev');

const comparisonOf = (handler: string, ...calls: readonly AwsCall[]) => compare(dev, new Map([[handler, calls]]));
const get = (leadingKey: string): AwsCall => ({ action: 'dynamodb:GetItem', resource: 'table', leadingKey });

const updateOfUser = (...attributes: readonly string[]): AwsCall => ({
  action: 'dynamodb:UpdateItem',
  resource: 'table',
  leadingKey: 'USER#',
  attributes,
});

describe('roles and bans of users', () => {
  it.each([
    ['is_admin', []],
    ['role', []],
    ['role_decided', []],
    ['ban_reason', []],
    ['ban_expires_at', []],
    // The record of an erased user may keep a ban.
    ['is_banned', ['users.erase', 'users.remove']],
  ])('are written by few functions: %s', (attribute, others) => {
    const allowed = handlerFiles.filter(({ id }) =>
      permissionsOf(dev, id).some(
        (permission) =>
          permits(permission, updateOfUser(attribute)) ||
          permits(permission, { ...updateOfUser(attribute), action: 'dynamodb:PutItem' }) ||
          permits(permission, { action: 'dynamodb:BatchWriteItem', resource: 'table', leadingKey: 'USER#' }),
      ),
    );
    expect(allowed.map(({ id }) => id).sort()).toEqual([...others, 'users.readProfile', 'users.update'].sort());
  });

  it('are as few for API keys: only two functions write more than the day of the last use', () => {
    const update: AwsCall = { action: 'dynamodb:UpdateItem', resource: 'table', leadingKey: 'KEYS' };
    const allowed = (attribute: string) =>
      handlerFiles
        .filter(({ id }) =>
          permissionsOf(dev, id).some(
            (permission) =>
              permits(permission, { ...update, attributes: ['pk', 'sk', attribute] }) ||
              permits(permission, { ...update, action: 'dynamodb:PutItem' }) ||
              permits(permission, { ...update, action: 'dynamodb:BatchWriteItem' }),
          ),
        )
        .map(({ id }) => id)
        .sort();
    expect(allowed('digest')).toEqual(['keys.create', 'keys.revoke']);
    expect(allowed('last_used_on').length).toBeGreaterThan(50);
  });

  it('are left alone by every other write of a user', () => {
    const { refused } = comparisonOf('comments.add', updateOfUser('pk', 'comment_count', 'version', 'erased_at'));
    expect(refused).toEqual([]);
  });
});

describe('a call', () => {
  it.each<[string, AwsCall]>([
    ['projects.list', { action: 'dynamodb:Scan', resource: 'table' }],
    ['projects.list', { action: 'dynamodb:Query', resource: 'table', leadingKey: 'SETTINGS' }],
    ['projects.list', { action: 'dynamodb:Query', resource: 'index collection', leadingKey: 'USERS' }],
    ['projects.list', { action: 'dynamodb:UpdateItem', resource: 'table', leadingKey: 'PROJECT#' }],
    ['users.updateProfile', { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'PROJECT#' }],
    ['comments.add', { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'USER#' }],
    ['comments.add', { action: 'dynamodb:DeleteItem', resource: 'table', leadingKey: 'USER#' }],
    ['comments.add', updateOfUser('is_admin')],
    ['comments.add', { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'SETTINGS' }],
    ['comments.add', { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'AUDIT#' }],
    ['projects.finishPurge', { action: 'dynamodb:BatchWriteItem', resource: 'table', leadingKey: 'USER#' }],
    ['settings.updateTheme', { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'WEBHOOKS' }],
    ['webhooks.stripe', { action: 'ssm:GetParameter', resource: 'parameter /directory/dev/cron-secret' }],
    ['votes.toggle', { action: 'ses:SendEmail', resource: 'sender' }],
    ['identity.addClaims', get('USER#')],
  ])('of %s is reported when its role does not allow it: %o', (handler, call) => {
    expect(comparisonOf(handler, call).refused).toHaveLength(1);
  });

  it('is allowed within the key prefix of its permission', () => {
    expect(comparisonOf('users.updateProfile', get('USER#')).refused).toEqual([]);
    expect(comparisonOf('users.updateProfile', get('PROJECT#')).refused).toHaveLength(1);
  });
});

describe('a permission', () => {
  const idleOf = (handler: string, ...calls: readonly AwsCall[]) =>
    comparisonOf(handler, ...calls).idle.filter((line) => line.startsWith(`${handler}:`));

  it('is reported as unused until a call uses it', () => {
    const before = idleOf('settings.readLayout');
    expect(before).toContain('settings.readLayout: reading items by their keys on table');
    expect(idleOf('settings.readLayout', get('SETTINGS'))).toEqual(
      before.filter((line) => !line.includes('reading items')),
    );
  });

  it('is not used by calls that a narrower one allows', () => {
    expect(idleOf('settings.readLayout', get('USER#'))).toContain(
      'settings.readLayout: reading items by their keys on table',
    );
  });

  it('is not listed when only the platform uses it', () => {
    expect(permissionsOf(dev, 'events.publish')).toEqual([
      { action: 'events:PutEvents', resource: 'bus', leadingKeys: undefined },
    ]);
  });
});

describe('a transaction', () => {
  it('is recorded as one call per item, and a batch as one per key', () => {
    const Key = { pk: 'PROJECT#prj_1', sk: 'CARD' };
    expect(
      callsOf('TransactWriteItems', {
        TransactItems: [{ Put: { Item: { pk: { S: 'SLUG#x' } } } }, { ConditionCheck: { Key } }],
      }),
    ).toEqual([
      { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'SLUG#' },
      { action: 'dynamodb:ConditionCheckItem', resource: 'table', leadingKey: 'PROJECT#' },
    ]);
    expect(callsOf('BatchGetItem', { RequestItems: { directory: { Keys: [Key, { pk: 'FEED', sk: 'x' }] } } })).toEqual([
      { action: 'dynamodb:BatchGetItem', resource: 'table', leadingKey: 'PROJECT#' },
      { action: 'dynamodb:BatchGetItem', resource: 'table', leadingKey: 'FEED' },
    ]);
  });

  it('throws for an unknown operation', () => {
    expect(() => callsOf('ExecuteStatement', {})).toThrow('Add the permissions of ExecuteStatement');
  });
});
