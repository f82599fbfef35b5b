import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Message } from '#events/catalogue.ts';
import type { ApiKeyRecord } from '#model/api-key.ts';
import { prefixOfId } from '#platform/api-key.ts';
import { dynamo } from '#platform/dynamo.ts';
import { environment } from '#platform/environment.ts';
import { collection } from './collection.ts';
import { inOutbox } from './event-log.ts';
import { apiKeyKey, apiKeyPrefix, apiKeysPartition } from './keys.ts';
import { recordOf } from './read.ts';
import { every, exists, is, sendSingle, transact, tryTransact } from './write.ts';

/** A key of the table has a part of the id only. */
const subjectOfKey = (id: string): string => `key:${id}`;

/** All keys, revoked and expired ones too. */
export const apiKeys = collection<ApiKeyRecord>({
  type: 'apiKey',
  partition: apiKeysPartition,
  prefix: apiKeyPrefix,
  keyOf: (id) => apiKeyKey(prefixOfId(id)),
  subjectOf: subjectOfKey,
});

/** Replaces the secret part of a key. @throws {ConditionFailed} when it was replaced concurrently. */
export const replaceDigest = ({ id, prefix, digest }: ApiKeyRecord, next: string): Promise<void> =>
  transact([
    {
      update: apiKeyKey(prefix),
      subject: subjectOfKey(id),
      change: { set: { digest: next } },
      when: every(exists, is('digest', digest)),
    },
  ]);

/** Revokes a key, with its event. @throws {ConditionFailed} when it has been revoked concurrently. */
export const revokeApiKey = ({ id, prefix }: ApiKeyRecord, revokedAt: string, message: Message): Promise<void> =>
  transact([
    {
      update: apiKeyKey(prefix),
      subject: subjectOfKey(id),
      change: { set: { revoked_at: revokedAt } },
      when: every(exists, is('revoked_at', null)),
    },
    inOutbox(message),
  ]);

/**
 * Ends a key of an erased user, which names the user no more.
 * @returns false when it does not name the user.
 */
export const endKeyOf = (userId: string, { id, prefix, revoked_at }: ApiKeyRecord, endedAt: string, message: Message) =>
  tryTransact([
    {
      update: apiKeyKey(prefix),
      subject: subjectOfKey(id),
      change: { set: { created_by: null, ...(revoked_at === null && { revoked_at: endedAt }) } },
      when: is('created_by', userId),
    },
    ...(revoked_at === null ? [inOutbox(message)] : []),
  ]);

// Every function with a login may read keys and record their use. As with users, these commands are apart from `read.ts` and
// `write.ts`, so that the roles of these functions can be limited to keys.

/** Reads a key by its beginning, strongly consistent, so that a revocation is effective at once. */
export const findPresentedKey = async (prefix: string): Promise<ApiKeyRecord | undefined> => {
  const { Item: item } = await dynamo().send(
    new GetCommand({ TableName: environment().table, Key: apiKeyKey(prefix), ConsistentRead: true }),
  );
  return item && recordOf<ApiKeyRecord>(item);
};

/** Records the day of a use; of several requests on one day the first writes. */
export const recordKeyUse = async ({ prefix }: ApiKeyRecord, day: string): Promise<void> => {
  await sendSingle((options) =>
    dynamo().send(
      new UpdateCommand({
        TableName: environment().table,
        Key: apiKeyKey(prefix),
        UpdateExpression: 'SET last_used_on = :day',
        ConditionExpression: 'attribute_exists(pk) AND (attribute_type(last_used_on, :null) OR last_used_on < :day)',
        ExpressionAttributeValues: { ':day': day, ':null': 'NULL' },
      }),
      options,
    ),
  );
};
