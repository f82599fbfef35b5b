import { firstInvisible } from './characters.ts';
import { verbatim } from './fields.ts';
import { asciiHost, HOST_MAX, withoutWww } from './host.ts';

/** The longest URL, in characters. */
export const URL_MAX = 2048;

/** The end of a name with a top-level domain; `node.1` and `1.2.3.4` are none. */
const TOP_LEVEL = /\.(?:[a-z]{2,}|xn--[a-z\d-]+)$/;

/** Adds `https://` to a URL without a scheme, such as `www.example.com`. */
export const withScheme = (url: string): string => {
  const [host = ''] = url.split(/[:/\\?#]/, 1);
  return !/\s/.test(url) && TOP_LEVEL.test(asciiHost(host) ?? '') ? `https://${url}` : url;
};

/** Without both slashes, browsers may take it for a relative address. */
const HTTP = /^https?:\/\/([^/\\?#]+)/i;

/** Why a text is no address of a page; undefined when it is one. */
const problemOf = (value: string): string | undefined => {
  const [start, authority] = HTTP.exec(value) ?? [];
  if (start === undefined || authority === undefined) return 'must be an http or https address';
  const invisible = firstInvisible(value);
  if (invisible !== undefined) {
    const code = invisible.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    const remedy = start.includes(invisible) ? '' : '; in a path they can be written with percent signs';
    return `must not have invisible characters such as U+${code}${remedy}`;
  }
  // Browsers take what is before it for a user name: the host is another one than it seems.
  if (authority.includes('@')) return 'must not have a user name or a password';
  if (asciiHost(authority.replace(/:\d*$/, '')) === undefined)
    return 'must have a whole host name such as example.com, or an IP address';
  return URL.canParse(value) ? undefined : 'must have a port up to 65535';
};

/**
 * An absolute http or https address of at most 2048 characters, kept as the caller wrote it but for invisible characters at
 * both ends. Its host is one as `asciiHost` takes it, and no other character is invisible.
 */
export const WebUrl = verbatim(1, URL_MAX)
  .check(({ value, issues }) => {
    const message = value === '' ? undefined : problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', message, input: value });
  })
  .meta({ format: 'uri' });

/** Whether a text that may be an address is none, or one as `WebUrl` takes it. */
export const isWholeAddress = (value: string): boolean => !/^https?:/i.test(value) || problemOf(value) === undefined;

/** The form in which an entry of a list of hosts is stored; undefined for what is none. */
const hostEntry = (value: string): string | undefined => {
  const name = value.replace(/^\*?\./, '').replace(/[.\u3002\uff0e\uff61]$/, '');
  const host = asciiHost(name);
  if (host !== undefined) return withoutWww(host);
  const isTopLevel = /^\*?\.[^.]+$/.test(value);
  const below = isTopLevel ? asciiHost(`a.${name}`) : undefined;
  return below === undefined ? undefined : `*${below.slice(1)}`;
};

/**
 * A host in a list that also stands for all below it, stored in lower case and Punycode, without a wildcard and `www.` in front
 * and a dot at the end. A top-level domain has its wildcard: `*.com`.
 */
export const Host = verbatim(1, HOST_MAX)
  .overwrite((value) => hostEntry(value) ?? value)
  .refine((value) => hostEntry(value) !== undefined, {
    error: 'must be a host name such as example.com, or *.com for all of a top-level domain',
  })
  .meta({ format: 'host' });
