import { trimmed } from '#contract/characters.ts';
import { fold } from './folded-text.ts';

/** A search that is the address of a page. */
interface PastedAddress {
  /** With a scheme. */
  readonly url: string;
  /** What texts are searched for: the address without scheme, `www.` and slash at the end, folded and not blank. */
  readonly text: string;
}

const SCHEME = /^https?:\/\//i;

/** As a part before a whole host: `www.com` is one itself, and without it nearly every address would match. */
const WWW = /^www\.(?=[^./?#:]+\.[^./?#:])/i;

/** A host of several parts. */
const HOST = /^[^\s/\\?#:@]+\.[^\s/\\?#:@]/u;

/**
 * A host whose last part begins with a letter, or an IPv4 address, and more: a port, a slash, or a query or fragment that is not
 * empty.
 */
const HOST_AND_MORE = /^(?:[^\s/\\?#:@]+\.\p{L}[^\s/\\?#:@.]*|\d+(?:\.\d+){3})(?::\d|\/|[?#].)/u;

const BLANK = /\s/;

/**
 * The address that `q` is; undefined for other texts. A host alone is none, because names such as `node.js` look like one, and
 * neither is what no browser opens.
 */
export const pastedAddress = (q: string): PastedAddress | undefined => {
  const address = trimmed(q);
  const host = address.replace(SCHEME, '');
  const hasScheme = host !== address;
  const isAddress = hasScheme ? HOST.test(host) : WWW.test(host) || HOST_AND_MORE.test(host);
  if (!isAddress || BLANK.test(address)) return undefined;
  const url = hasScheme ? address : `http://${address}`;
  const text = fold(host.replace(WWW, '').replace(/\/+$/, ''));
  return text === '' || !URL.canParse(url) ? undefined : { url, text };
};
