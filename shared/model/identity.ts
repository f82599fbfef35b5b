/** The user described by a verified token. */
export interface Identity {
  /** The subject at the identity provider: the user's id. */
  readonly sub: string;
  /** With ASCII letters in lower case. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  readonly name: string | null;
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
  const name = [...(attributes.name ?? '').trim()].slice(0, NAME_MAX).join('').trim();
  return {
    ...(email && { email, email_verified: String(email_verified === 'true') }),
    ...(name && { name }),
  };
};
