// The gateway's stage, or the base path of a custom domain, precedes `/console` or `/docs` in the path.
const [, prefix = '', application = 'console'] = /^(.*?)\/(console|docs)(?:\/|$)/.exec(location.pathname) ?? [];

/** The base URL of the interface. */
export const apiUrl = `${location.origin}${prefix}`;

/** The path of the console without a trailing slash. */
export const consolePath = `${prefix}/console`;

/** The path of this application, the console or the reference, without a trailing slash. */
export const homePath = `${prefix}/${application}`;

/** Where the issuer returns to after sign-in. */
export const callbackUrl = `${location.origin}${consolePath}/callback`;
