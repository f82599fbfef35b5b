import type { Scope } from '#contract/route.ts';
import type { Message } from '#events/catalogue.ts';
import type { ApiKeyRecord } from '#model/api-key.ts';
import { prefixOfId } from '#platform/api-key.ts';
import { dynamo } from '#platform/dynamo.ts';
import { GetCommand, UpdateCommand } from '#platform/dynamo-commands.ts';
import { settings } from '#platform/settings.ts';
import { apiKeyKey, apiKeyPrefix, apiKeysPartition, type Key } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, type Item, wholeCollection } from './read.ts';
import { absent, every, exists, is, sendSingle, transact } from './write.ts';

const apiKeyItem = (key: ApiKeyRecord): Item & Key => ({
  ...apiKeyKey(key.prefix),
  type: 'apiKey',
  ...key,
});

const apiKeyOf = (item: Item): ApiKeyRecord => ({
  id: String(item.id),
  name: String(item.name),
  prefix: String(item.prefix),
  digest: String(item.digest),
  scopes: item.scopes as Scope[],
  created_at: String(item.created_at),
  expires_at: (item.expires_at ?? null) as string | null,
  last_used_on: (item.last_used_on ?? null) as string | null,
  revoked_at: (item.revoked_at ?? null) as string | null,
});

/** All keys, revoked and expired ones too, strongly consistent. There are few enough to read them together. */
export const allApiKeys = async (): Promise<ApiKeyRecord[]> => {
  const items = await wholeCollection({ partition: apiKeysPartition, prefix: apiKeyPrefix });
  return items.map(apiKeyOf);
};

/** Reads a key by its id, strongly consistent. */
export const findApiKey = async (id: string): Promise<ApiKeyRecord | undefined> => {
  const item = await findItem(apiKeyKey(prefixOfId(id)));
  return item?.id === id ? apiKeyOf(item) : undefined;
};

/** Inserts a key with its event. */
export const insertApiKey = (key: ApiKeyRecord, message: Message): Promise<void> =>
  transact([{ put: apiKeyItem(key), when: absent }, inOutbox(message)]);

/** Revokes a key, with its event. @throws {ConditionFailed} when it has been revoked concurrently. */
export const revokeApiKey = ({ prefix }: ApiKeyRecord, revokedAt: string, message: Message): Promise<void> =>
  transact([
    {
      update: apiKeyKey(prefix),
      change: { set: { revoked_at: revokedAt } },
      when: every(exists, is('revoked_at', null)),
    },
    inOutbox(message),
  ]);

// Every function with a login may read keys and note their use. As with users, these commands are apart from `read.ts` and
// `write.ts`, so that the roles of these functions can be limited to keys.

/** Reads a key by its beginning, strongly consistent, so that a revocation is effective at once. */
export const findPresentedKey = async (prefix: string): Promise<ApiKeyRecord | undefined> => {
  const { Item: item } = await dynamo().send(
    new GetCommand({ TableName: settings().table, Key: apiKeyKey(prefix), ConsistentRead: true }),
  );
  return item && apiKeyOf(item);
};

/** Records the day of a use; of several requests on one day the first writes. */
export const noteKeyUse = async ({ prefix }: ApiKeyRecord, day: string): Promise<void> => {
  await sendSingle((options) =>
    dynamo().send(
      new UpdateCommand({
        TableName: settings().table,
        Key: apiKeyKey(prefix),
        UpdateExpression: 'SET last_used_on = :day',
        ConditionExpression: 'attribute_exists(pk) AND (attribute_type(last_used_on, :null) OR last_used_on < :day)',
        ExpressionAttributeValues: { ':day': day, ':null': 'NULL' },
      }),
      options,
    ),
  );
};
