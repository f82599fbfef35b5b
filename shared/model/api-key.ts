import type { ApiKey } from '#contract/api-keys.ts';
import type { Scope } from '#contract/route.ts';
import type { UserRecord } from './user.ts';

export interface ApiKeyRecord {
  /** `key_` and a ULID; also the id of its service user. */
  readonly id: string;
  readonly name: string;
  /** The beginning of the key, which is no secret. */
  readonly prefix: string;
  /** The SHA-256 digest of the whole key. */
  readonly digest: string;
  readonly scopes: readonly Scope[];
  /** ISO 8601, like the other times. */
  readonly created_at: string;
  /** The id of the administrator who made it; null after their erasure, with which the key ends. */
  readonly created_by: string | null;
  readonly expires_at: string | null;
  /** A day, UTC. */
  readonly last_used_on: string | null;
  readonly revoked_at: string | null;
}

export const apiKeyView = ({ digest: _digest, created_by: _creator, scopes, ...key }: ApiKeyRecord): ApiKey => ({
  ...key,
  scopes: [...scopes],
});

/** Whether a key is accepted at a time. @param at ISO 8601. */
export const isValidAt = ({ revoked_at, expires_at }: ApiKeyRecord, at: string): boolean =>
  revoked_at === null && (expires_at === null || expires_at > at);

/** Who sent a request: a user, or the service user of an API key, which has scopes. */
export interface Caller extends UserRecord {
  readonly scopes?: readonly Scope[];
}

/** The service user of a key as a caller. A role that an administrator gave to that user has no effect. */
export const callerWith = (user: UserRecord, { scopes }: ApiKeyRecord): Caller => ({
  ...user,
  role: 'user',
  is_admin: false,
  scopes,
});

const KEY_ID = /^key_[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Whether an id is that of a service user; no token may have such a subject. */
export const isApiKeyId = (id: string): boolean => KEY_ID.test(id);
