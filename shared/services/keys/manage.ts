import type { ApiKey, ApiKeyBody } from '#contract/keys.ts';
import { allApiKeys, findApiKey, insertApiKey, revokeApiKey } from '#data/api-keys.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { newMessage } from '#events/catalogue.ts';
import { type ApiKeyRecord, apiKeyView, type Caller } from '#model/api-key.ts';
import type { UserRecord } from '#model/user.ts';
import { apiKeyDigest, newApiKey, prefixOfId } from '#platform/api-key.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { forbidden, invalidField, notFound } from '#shared/errors.ts';

/** All keys, newest first. */
export const listApiKeys = async (): Promise<ApiKey[]> =>
  (await allApiKeys()).toSorted((one, other) => (one.id < other.id ? 1 : -1)).map(apiKeyView);

/** Creates a key, which is returned here and never again. @throws 400 when it would have ended already. */
export const createApiKey = async (admin: UserRecord, body: ApiKeyBody): Promise<ApiKey & { key: string }> => {
  const at = now();
  const { name, scopes, expires_at = null } = body;
  if (expires_at !== null && expires_at <= at) throw invalidField(['expires_at'], 'must be in the future');
  const id = newId('key');
  const key = newApiKey(id);
  const record: ApiKeyRecord = {
    id,
    name,
    prefix: prefixOfId(id),
    digest: await apiKeyDigest(key),
    scopes,
    created_at: at,
    expires_at,
    last_used_on: null,
    revoked_at: null,
  };
  await insertApiKey(record, newMessage('keyCreated', admin.id, { key_id: id, name, scopes, expires_at }));
  return { ...apiKeyView(record), key };
};

const getApiKey = async (id: string): Promise<ApiKeyRecord> => {
  const key = await findApiKey(id);
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
