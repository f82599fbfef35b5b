// The address of the icon is relative to that of the first page: it is resolved before the address changes.
const icon = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
icon?.setAttribute('href', icon.href);

// Paths of pages have no slash at the end, and one there means nothing.
if (location.pathname.endsWith('/'))
  history.replaceState(history.state, '', location.pathname.replace(/\/+$/, '') + location.search + location.hash);

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
