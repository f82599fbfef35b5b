import { expect, it } from 'vitest';
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

it.each([
  ['is_admin', []],
  ['role', []],
  ['role_decided', []],
  ['ban_reason', []],
  ['ban_expires_at', []],
  // The record of an erased user may keep a ban.
  ['is_banned', ['users.erase', 'users.remove']],
])('roles and bans of users are written by few functions: %s', (attribute, others) => {
  const allowed = handlerFiles.filter(({ id }) =>
    permissionsOf(dev, id).some(
      (permission) =>
        permits(permission, updateOfUser(attribute)) ||
        permits(permission, { ...updateOfUser(attribute), action: 'dynamodb:PutItem' }) ||
        permits(permission, { action: 'dynamodb:BatchWriteItem', resource: 'table', leadingKey: 'USER#' }),
    ),
  );
  // The first two create the record of a user at the first sight.
  const writers = ['session.begin', 'users.readProfile', 'users.update'];
  expect(allowed.map(({ id }) => id).sort()).toEqual([...others, ...writers].sort());
});

it('roles and bans of users are as few for API keys: only two functions write more than the day of the last use', () => {
  const update: AwsCall = { action: 'dynamodb:UpdateItem', resource: 'table', leadingKey: 'API_KEYS' };
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
  expect(allowed('digest')).toEqual(['apiKeys.create', 'apiKeys.revoke']);
  expect(allowed('last_used_on').length).toBeGreaterThan(50);
});

it('roles and bans of users are left alone by every other write of a user', () => {
  const { refused } = comparisonOf('comments.add', updateOfUser('pk', 'comment_count', 'version', 'erased_at'));
  expect(refused).toEqual([]);
});

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
  ['votes.toggle', { action: 'ses:SendRawEmail', resource: 'sender' }],
  ['identity.addClaims', get('USER#')],
])('a call of %s is reported when its role does not allow it: %o', (handler, call) => {
  expect(comparisonOf(handler, call).refused).toHaveLength(1);
});

it('a call that writes an undeclared entity is reported with the entity', () => {
  const put: AwsCall = { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'SETTINGS' };
  expect(comparisonOf('votes.cast', put).refused).toEqual([
    'votes.cast writes settings, which it does not declare: dynamodb:PutItem on table of SETTINGS',
  ]);
});

it('a call is allowed within the key prefix of its permission', () => {
  expect(comparisonOf('users.updateProfile', get('USER#')).refused).toEqual([]);
  expect(comparisonOf('users.updateProfile', get('PROJECT#')).refused).toHaveLength(1);
});

const idleOf = (handler: string, ...calls: readonly AwsCall[]) =>
  comparisonOf(handler, ...calls).idle.filter((line) => line.startsWith(`${handler}:`));

it('a permission is reported as unused until a call uses it', () => {
  const before = idleOf('settings.readLayout');
  expect(before).toContain('settings.readLayout: reading items by their keys on table');
  expect(idleOf('settings.readLayout', get('SETTINGS'))).toEqual(
    before.filter((line) => !line.includes('reading items')),
  );
});

it('a permission to write an entity is reported with the entity until a call writes it', () => {
  const put: AwsCall = { action: 'dynamodb:PutItem', resource: 'table', leadingKey: 'PROJECT#' };
  const idle = 'votes.cast: declares to write projects, which no test does';
  expect(idleOf('votes.cast')).toContain(idle);
  expect(idleOf('votes.cast', put)).not.toContain(idle);
});

it('a permission is not used by calls that a narrower one allows', () => {
  expect(idleOf('settings.readLayout', get('USER#'))).toContain(
    'settings.readLayout: reading items by their keys on table',
  );
});

it('a permission is not listed when only the platform uses it', () => {
  expect(permissionsOf(dev, 'events.publish')).toEqual([
    { action: 'events:PutEvents', resource: 'bus', leadingKeys: undefined },
  ]);
});

it('a transaction is recorded as one call per item, and a batch as one per key', () => {
  const Key = { pk: 'PROJECT#prj_1', sk: 'PROJECT' };
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

it('a transaction throws for an unknown operation', () => {
  expect(() => callsOf('ExecuteStatement', {})).toThrow('Add the permissions of ExecuteStatement');
});
