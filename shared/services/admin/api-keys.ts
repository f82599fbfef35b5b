import type { ApiKey, ApiKeyBody, ListedApiKey } from '#contract/api-keys.ts';
import { apiKeys, endKeyOf, findPresentedKey, recordKeyUse, replaceDigest, revokeApiKey } from '#data/api-keys.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { inOutbox } from '#data/event-log.ts';
import { findUsers } from '#data/users.ts';
import { newMessage } from '#events/catalogue.ts';
import { type ApiKeyRecord, apiKeyView, type Caller, isValidAt } from '#model/api-key.ts';
import { dayOf } from '#model/days.ts';
import { firstFitting } from '#model/response-size.ts';
import type { UserRecord } from '#model/user.ts';
import { apiKeyDigest, isSameDigest, newApiKey, prefixOfId, prefixOfKey } from '#platform/api-key.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { createOnce } from '#services/create-once.ts';
import { forbidden, invalidField, notFound } from '#shared/errors.ts';

/** Records the day of a use. A failure must not fail the request. */
const recordUse = async (key: ApiKeyRecord, day: string): Promise<void> => {
  if (key.last_used_on !== null && key.last_used_on >= day) return;
  try {
    await recordKeyUse(key, day);
  } catch (error) {
    log.warn('the use of an API key could not be recorded', { error });
  }
};

/** Verifies an API key. @returns undefined for a malformed, unknown, revoked or expired one. */
export const authenticateKey = async (presented: string): Promise<ApiKeyRecord | undefined> => {
  const prefix = prefixOfKey(presented);
  const key = prefix === undefined ? undefined : await findPresentedKey(prefix);
  const at = now();
  if (!key || !isSameDigest(apiKeyDigest(presented), key.digest) || !isValidAt(key, at)) return undefined;
  await recordUse(key, dayOf(at));
  return key;
};

/** Of the listed keys, in bytes of the response: those of 5,000 or more. */
const KEYS_BYTES_MAX = 5_000_000;

/** The keys, newest first, as many as one response holds. */
export const listApiKeys = async (): Promise<ListedApiKey[]> => {
  const keys = (await apiKeys.all()).toSorted((one, other) => (one.id < other.id ? 1 : -1));
  const creators = await findUsers([...new Set(keys.flatMap(({ created_by }) => created_by ?? []))]);
  const views = keys.map((key) => {
    const creator = creators.get(key.created_by ?? '');
    const created_by = creator ? { id: creator.id, name: creator.name, is_admin: creator.is_admin } : null;
    return { ...apiKeyView(key), created_by };
  });
  return firstFitting(views, KEYS_BYTES_MAX);
};

/** Ends the keys that an erased user has made. @returns how many there were. */
export const endKeysOf = async (userId: string): Promise<number> => {
  let ended = 0;
  for (const key of await apiKeys.all()) {
    if (key.created_by !== userId) continue;
    // Without the name, which are words of the user.
    const message = newMessage('keyRevoked', null, { key_id: key.id, name: '' });
    if (await endKeyOf(userId, key, now(), message)) ended += 1;
  }
  return ended;
};

type CreatedApiKey = ApiKey & { readonly key: string };

const insertKey = async (id: string, admin: UserRecord, body: ApiKeyBody): Promise<CreatedApiKey> => {
  const at = now();
  const { name, scopes, expires_at = null } = body;
  if (expires_at !== null && expires_at <= at) throw invalidField(['expires_at'], 'must be in the future');
  const key = newApiKey(id);
  const record: ApiKeyRecord = {
    id,
    name,
    prefix: prefixOfId(id),
    digest: apiKeyDigest(key),
    scopes,
    created_at: at,
    created_by: admin.id,
    expires_at,
    last_used_on: null,
    revoked_at: null,
  };
  await apiKeys.insert(record, inOutbox(newMessage('keyCreated', admin.id, { key_id: id, name, scopes, expires_at })));
  return { ...apiKeyView(record), key };
};

/** A key that no response has contained, with another secret part: the table has the digest of the first one only. */
const replaceKey = async (id: string): Promise<CreatedApiKey | undefined> => {
  const record = await apiKeys.find(id);
  if (!record) return undefined;
  const key = newApiKey(id);
  await replaceDigest(record, apiKeyDigest(key));
  return { ...apiKeyView(record), key };
};

/**
 * Creates a key, which is returned here and never again.
 * @param seed as in `createOnce`.
 * @throws 400 when it would have ended already.
 */
export const createApiKey = async (admin: UserRecord, body: ApiKeyBody, seed?: string): Promise<CreatedApiKey> => {
  const create = (id: string) => insertKey(id, admin, body);
  return await retryOnConflict(() => createOnce('key', seed, { find: replaceKey, create }));
};

const getApiKey = async (id: string): Promise<ApiKeyRecord> => {
  const key = await apiKeys.find(id);
  if (!key) throw notFound();
  return key;
};

/** Revokes a key at once. Nothing happens when it is revoked already. @throws 404. */
export const revokeKey = (admin: UserRecord, id: string): Promise<ApiKey> =>
  retryOnConflict(async () => {
    const key = await getApiKey(id);
    if (key.revoked_at !== null) return apiKeyView(key);
    const revokedAt = now();
    await revokeApiKey(key, revokedAt, newMessage('keyRevoked', admin.id, { key_id: id, name: key.name }));
    return apiKeyView({ ...key, revoked_at: revokedAt });
  });

/** The key that a request was sent with. @throws 403 when it was sent with the token of a user. */
export const currentKey = async (caller: Caller): Promise<ApiKey> => {
  if (!caller.scopes) throw forbidden();
  return apiKeyView(await getApiKey(caller.id));
};
