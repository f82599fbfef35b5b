import * as z from 'zod';
import { firstInvisible, trimmed } from './characters.ts';
import { bounded, line } from './fields.ts';
import { asciiHost, HOST_MAX } from './host.ts';

/** The longest URL, in characters. */
export const URL_MAX = 2048;

const BARE_HOST = /^(?:[\p{L}\p{M}\p{N}_-]+\.)+(?:[\p{L}\p{M}]{2,}|xn--[a-z\d-]+)(?::\d+)?(?:[/?#]\S*)?$/iu;

/** Adds `https://` to a URL without a scheme, such as `www.example.com`. */
export const withScheme = (url: string): string => (BARE_HOST.test(url) ? `https://${url}` : url);

/** Without both slashes, browsers may take it for a relative address. */
const HTTP = /^https?:\/\/([^/\\?#]+)/i;

/** Why a text is no address of a page; undefined when it is one. */
const problemOf = (value: string): string | undefined => {
  const [, authority] = HTTP.exec(value) ?? [];
  if (authority === undefined) return 'must be an http or https address';
  const invisible = firstInvisible(value);
  if (invisible !== undefined) {
    const code = invisible.codePointAt(0)?.toString(16).toUpperCase().padStart(4, '0');
    return `must not have invisible characters such as U+${code}; within a path they can be written with percent signs`;
  }
  // Browsers take what is before it for a user name: the host is another one than it seems.
  if (authority.includes('@')) return 'must not have a user name or a password';
  if (asciiHost(authority.replace(/:\d*$/, '')) === undefined)
    return 'must have a whole host name such as example.com, or an IP address';
  return URL.canParse(value) ? undefined : 'must be an http or https address';
};

/**
 * An absolute http or https address of at most 2048 characters, kept as the caller wrote it but for invisible characters at
 * both ends. Its host is one as `asciiHost` takes it, and no other character is invisible.
 */
export const WebUrl = bounded(z.string().overwrite(trimmed), 1, URL_MAX)
  .check(({ value, issues }) => {
    const message = problemOf(value);
    if (message !== undefined && value !== '') issues.push({ code: 'custom', message, input: value });
  })
  .meta({ format: 'uri' });

/** A host in a list, stored in lower case and Punycode, without a wildcard and `www.` in front and a dot at the end. */
export const Host = line(1, HOST_MAX)
  .overwrite((value) => asciiHost(value.replace(/^(?:\*?\.)?(?:www\.(?=.*\.))?/iu, '').replace(/\.$/, '')) ?? value)
  .refine((value) => asciiHost(value) !== undefined, { error: 'must be a host name such as example.com' })
  .meta({ format: 'idn-hostname' });
