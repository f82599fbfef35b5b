// The gateway's stage, or the base path of a custom domain, precedes `/console` in the path.
const [, prefix = ''] = /^(.*?)\/console(?:\/|$)/.exec(location.pathname) ?? [];

/** The base URL of the interface. */
export const apiUrl = `${location.origin}${prefix}`;

/** The path of the console without a trailing slash. */
export const consolePath = `${prefix}/console`;

/** Where the issuer returns to after sign-in. */
export const callbackUrl = `${location.origin}${consolePath}/callback`;
