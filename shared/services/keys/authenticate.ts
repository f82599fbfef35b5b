import { findPresentedKey, noteKeyUse } from '#data/api-keys.ts';
import { type ApiKeyRecord, isValidAt } from '#model/api-key.ts';
import { dayOf } from '#model/days.ts';
import { apiKeyDigest, isSameDigest, prefixOfKey } from '#platform/api-key.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';

/** Records the day of a use. A failure must not fail the request. */
const noteUse = async (key: ApiKeyRecord, day: string): Promise<void> => {
  if (key.last_used_on !== null && key.last_used_on >= day) return;
  try {
    await noteKeyUse(key, day);
  } catch (error) {
    log.warn('the use of an API key could not be recorded', { error });
  }
};

/**
 * Verifies an API key.
 * @returns undefined for a malformed, unknown, revoked or expired one.
 * @throws {PepperUnavailable} when it cannot be verified.
 */
export const authenticateKey = async (presented: string): Promise<ApiKeyRecord | undefined> => {
  const prefix = prefixOfKey(presented);
  const key = prefix === undefined ? undefined : await findPresentedKey(prefix);
  const at = now();
  if (!key || !isSameDigest(await apiKeyDigest(presented), key.digest) || !isValidAt(key, at)) return undefined;
  await noteUse(key, dayOf(at));
  return key;
};
