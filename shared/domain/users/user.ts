/** A user as it is kept. The id is the identity provider's subject. */
export interface UserRecord {
  readonly id: string;
  /** Lower case; null while the provider has told none. */
  readonly email: string | null;
  readonly name: string | null;
  readonly avatar_url: string | null;
  readonly bio: string | null;
  readonly website: string | null;
  readonly role: 'user' | 'moderator' | 'admin';
  /** In step with `role`: true exactly when it is `admin`. */
  readonly is_admin: boolean;
  readonly is_banned: boolean;
  readonly ban_reason: string | null;
  readonly joined_at: string;
}

/** What a verified identity says about a user. */
export interface Identity {
  readonly sub: string;
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
}

/** The record of somebody who is seen for the first time. Verified addresses of the configuration make administrators. */
export const newUser = (identity: Identity, adminEmails: readonly string[], joinedAt: string): UserRecord => {
  const isAdmin = identity.emailVerified && identity.email !== null && adminEmails.includes(identity.email);
  return {
    id: identity.sub,
    email: identity.email,
    name: identity.name,
    avatar_url: null,
    bio: null,
    website: null,
    role: isAdmin ? 'admin' : 'user',
    is_admin: isAdmin,
    is_banned: false,
    ban_reason: null,
    joined_at: joinedAt,
  };
};
