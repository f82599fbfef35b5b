import { fold } from './folded-text.ts';

/** A search that is the address of a page. */
interface PastedAddress {
  /** With a scheme. */
  readonly url: string;
  /** What texts are searched for: the address without scheme, `www.` and slash at the end, folded and not blank. */
  readonly text: string;
}

const SCHEME = /^https?:\/\//i;
const WWW = /^(?:www\.)+/i;

/** A host whose last part begins with a letter, and more: a port, a slash, or a query or fragment that is not empty. */
const HOST_AND_MORE = /^[^\s/\\?#:@]+\.\p{L}[^\s/\\?#:@.]*(?::\d|\/|[?#].)/u;

const BLANK = /\s/;

/**
 * The address that `q` is; undefined for other texts. A host alone is none, because names such as `node.js` look like one, and
 * neither is what no browser opens.
 */
export const pastedAddress = (q: string): PastedAddress | undefined => {
  const address = q.trim();
  const hasScheme = SCHEME.test(address);
  if (BLANK.test(address) || !(hasScheme || WWW.test(address) || HOST_AND_MORE.test(address))) return undefined;
  const url = hasScheme ? address : `http://${address}`;
  const text = fold(address.replace(SCHEME, '').replace(WWW, '').replace(/\/+$/, ''));
  return text === '' || !URL.canParse(url) ? undefined : { url, text };
};
