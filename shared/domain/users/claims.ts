/** As long as a name may be in the profile, in characters; the pool takes longer ones. */
const NAME_MAX = 100;

/**
 * The claims that an access token is given beside the standard ones, from the attributes that the user pool keeps.
 * @param attributes as Cognito tells them: every value is text, also `email_verified`.
 * @returns `email` with `email_verified` (`true` or `false`), and `name`; each only where there is one.
 */
export const accessClaims = (attributes: Readonly<Record<string, string | undefined>>): Record<string, string> => {
  const { email, email_verified } = attributes;
  const name = [...(attributes.name ?? '').trim()].slice(0, NAME_MAX).join('').trim();
  return {
    ...(email && { email, email_verified: String(email_verified === 'true') }),
    ...(name && { name }),
  };
};
