import type { Notifications, Role } from '#contract/users.ts';

/** A user as it is kept. The id is the identity provider's subject. */
export interface UserRecord {
  readonly id: string;
  /** Lower case; null while the provider has told none. */
  readonly email: string | null;
  /** Whether the provider has ever vouched for the address. */
  readonly email_verified: boolean;
  readonly name: string | null;
  readonly avatar_url: string | null;
  readonly bio: string | null;
  readonly website: string | null;
  readonly role: Role;
  /** In step with `role`: true exactly when it is `admin`. */
  readonly is_admin: boolean;
  /** Whether somebody has decided about the role; the configuration's addresses then have no say any more. */
  readonly role_decided: boolean;
  readonly is_banned: boolean;
  readonly ban_reason: string | null;
  readonly joined_at: string;
  readonly notifications: Notifications;
  /** Comments that stand; changed in the transaction of the comment. */
  readonly comment_count: number;
  /** Set when the user was erased: nothing else is left then, and nobody may act in his name any more. */
  readonly erased_at: string | null;
  /** Grows with every write of the record. */
  readonly version: number;
}

/** What a verified identity says about a user. */
export interface Identity {
  readonly sub: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** What everybody wants until he says otherwise. */
export const allNotifications: Notifications = {
  submission_received: true,
  payment_received: true,
  promotion_ending: true,
  weekly_digest: true,
};

/** Whether the configuration makes this identity an administrator: by a verified address only. */
const isNamedAdmin = (identity: Identity, adminEmails: readonly string[]): boolean =>
  identity.emailVerified && identity.email !== null && adminEmails.includes(identity.email);

/** The record of somebody who is seen for the first time. Verified addresses of the configuration make administrators. */
export const newUser = (identity: Identity, adminEmails: readonly string[], joinedAt: string): UserRecord => {
  const isAdmin = isNamedAdmin(identity, adminEmails);
  return {
    id: identity.sub,
    email: identity.email,
    email_verified: identity.email !== null && identity.emailVerified,
    name: identity.name,
    avatar_url: null,
    bio: null,
    website: null,
    role: isAdmin ? 'admin' : 'user',
    is_admin: isAdmin,
    role_decided: false,
    is_banned: false,
    ban_reason: null,
    joined_at: joinedAt,
    notifications: allNotifications,
    comment_count: 0,
    erased_at: null,
    version: 1,
  };
};

/**
 * What an identity tells that the record does not know yet; undefined when that is nothing. Some providers put the address
 * into later tokens only, such as Cognito after the first sign-in. The first verified address is also the moment at
 * which the configuration is asked, once: who was revoked since by an administrator does not come back through it.
 */
export const newsOf = (
  user: UserRecord,
  identity: Identity,
  adminEmails: readonly string[],
): Pick<UserRecord, 'email' | 'email_verified' | 'role' | 'is_admin'> | undefined => {
  const { email, emailVerified } = identity;
  if (email === null || user.email_verified || (user.email !== null && !emailVerified)) return undefined;
  const isAdmin = user.is_admin || (!user.role_decided && isNamedAdmin(identity, adminEmails));
  return { email, email_verified: emailVerified, role: isAdmin ? 'admin' : user.role, is_admin: isAdmin };
};
