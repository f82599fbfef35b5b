import * as z from 'zod';
import { trimmed } from '#contract/characters.ts';
import type { Notifications, Role } from '#contract/users.ts';
import { firstCharacters } from './characters.ts';

/** The user described by a verified token. */
export interface Identity {
  /** The subject at the identity provider: the user's id. */
  readonly sub: string;
  /** With ASCII letters in lower case. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
  /** When the token was issued, ISO 8601; null where it does not say so. */
  readonly issuedAt: string | null;
}

/**
 * Converts ASCII letters to lower case. The Unicode mapping would equate different addresses: it turns the Kelvin sign
 * into a `k`.
 */
export const asciiLowerCase = (value: string): string => value.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Longest name in a profile, in characters; Cognito allows longer ones. */
const NAME_MAX = 100;

/**
 * The claims added to an access token, from the attributes of a Cognito user.
 * @param attributes as Cognito passes them: all values are strings, `email_verified` too.
 * @returns `email` with `email_verified` (`true` or `false`), and `name`; absent where the attribute is empty.
 */
export const accessClaims = (attributes: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const { email, email_verified } = attributes;
  const name = firstCharacters(trimmed(attributes.name ?? ''), NAME_MAX).trim();
  return {
    ...(email && { email, email_verified: String(email_verified === 'true') }),
    ...(name && { name }),
  };
};

/** The preferences of a user who has not changed them. */
export const allNotifications: Notifications = {
  submission_received: true,
  payment_received: true,
  promotion_ending: true,
  weekly_digest: true,
  follow_digest: true,
};

const text = z.string().nullable().catch(null);
const flag = z.boolean().catch(false);
const preference = z.boolean().catch(true);

// Only types of the contract are imported: its schemas would pull all user routes into every bundle.
export const roles = ['user', 'moderator', 'admin'] as const satisfies readonly Role[];
const preferences = {
  submission_received: preference,
  payment_received: preference,
  promotion_ending: preference,
  weekly_digest: preference,
  follow_digest: preference,
} satisfies Record<keyof Notifications, z.ZodType<boolean>>;

/**
 * A stored user. Of an erased user only `id`, `erased_at`, `comment_count`, `version` and a ban are stored; the other
 * attributes get a default.
 */
export const UserRecord = z
  .object({
    /** The subject at the identity provider. */
    id: z.string(),
    /** With ASCII letters in lower case; null until a token contains one. */
    email: text,
    /** Whether the issuer has verified the address. */
    email_verified: flag,
    /** When the token that contained the address was issued, ISO 8601; null for an unknown time. */
    email_issued_at: text,
    name: text,
    avatar_url: text,
    bio: text,
    website: text,
    role: z.enum(roles).catch('user'),
    /** True once an administrator or the command line has set the role; `ADMIN_EMAILS` is then ignored. */
    role_decided: flag,
    /** Of a stored item also true after the end of the ban; see `liftExpiredBan`. */
    is_banned: flag,
    ban_reason: text,
    /** The end of the ban, ISO 8601; null when it does not end. */
    ban_expires_at: text,
    /** ISO 8601; empty for an erased user. */
    joined_at: z.string().catch(''),
    notifications: z.object(preferences).catch(allNotifications),
    /** Existing comments; updated in the transaction that writes or deletes one. */
    comment_count: z.number().min(0).catch(0),
    /** ISO 8601; null unless the user has been erased. */
    erased_at: text,
    /** Incremented by every write. */
    version: z.number().catch(0),
  })
  .transform((stored) => ({ ...stored, is_admin: stored.role === 'admin' }));
export type UserRecord = Readonly<z.output<typeof UserRecord>>;

/** A user at a time: a ban that has ended by then is lifted. @param at ISO 8601. */
export const liftExpiredBan = (user: UserRecord, at: string): UserRecord =>
  user.ban_expires_at !== null && user.ban_expires_at <= at
    ? { ...user, is_banned: false, ban_reason: null, ban_expires_at: null }
    : user;

/** Replaces the id of an erased user in the event log and the audit log. */
export const ERASED_USER = 'erased';

/** Whether `ADMIN_EMAILS` makes this identity an administrator; unverified addresses never do. */
const isConfiguredAdmin = (identity: Identity, adminEmails: readonly string[]): boolean =>
  identity.emailVerified && identity.email !== null && adminEmails.includes(identity.email);

/** The record of a user at the first request. @param adminEmails verified addresses that make an administrator. */
export const newUser = (identity: Identity, adminEmails: readonly string[], joinedAt: string): UserRecord => {
  const isAdmin = isConfiguredAdmin(identity, adminEmails);
  return {
    id: identity.sub,
    email: identity.email,
    email_verified: identity.email !== null && identity.emailVerified,
    email_issued_at: identity.email === null ? null : identity.issuedAt,
    name: identity.name,
    avatar_url: null,
    bio: null,
    website: null,
    role: isAdmin ? 'admin' : 'user',
    is_admin: isAdmin,
    role_decided: false,
    is_banned: false,
    ban_reason: null,
    ban_expires_at: null,
    joined_at: joinedAt,
    notifications: allNotifications,
    comment_count: 0,
    erased_at: null,
    version: 1,
  };
};

/** Attributes of a user that follow from a token. */
type IdentityAttributes = Pick<UserRecord, 'email' | 'email_verified' | 'email_issued_at' | 'role' | 'is_admin'>;

/**
 * Whether the address of a token replaces the stored one: a verified address an unverified one, otherwise that of the newer
 * token. Tokens of several devices are in use at a time, so without this order the address would alternate.
 */
const replacesAddress = (user: UserRecord, { email, emailVerified, issuedAt }: Identity): boolean => {
  if (email === null) return false;
  if (user.email === null) return true;
  if (emailVerified !== user.email_verified) return emailVerified;
  return email !== user.email && issuedAt !== null && issuedAt > (user.email_issued_at ?? '');
};

/**
 * The attributes that a later token changes; undefined when there are none. Cognito, for example, includes the address only
 * after the first sign-in, and users change their address at the issuer. `adminEmails` is applied once, when an address is
 * first verified: neither does an administrator whose role was revoked regain it, nor does a later address give it.
 */
export const identityChanges = (
  user: UserRecord,
  identity: Identity,
  adminEmails: readonly string[],
): IdentityAttributes | undefined => {
  if (!replacesAddress(user, identity)) return undefined;
  const { email, emailVerified, issuedAt } = identity;
  const mayDecideRole = !user.role_decided && !user.email_verified;
  const isAdmin = user.is_admin || (mayDecideRole && isConfiguredAdmin(identity, adminEmails));
  return {
    email,
    email_verified: emailVerified,
    email_issued_at: issuedAt,
    role: isAdmin ? 'admin' : user.role,
    is_admin: isAdmin,
  };
};

export interface CommentCount {
  readonly userId: string;
  readonly counted: number;
  /** When the record last changed, ISO 8601; writing a comment changes it. */
  readonly changedAt: string;
  readonly version: number;
}
