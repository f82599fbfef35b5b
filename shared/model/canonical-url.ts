import type { Options } from 'normalize-url';
import normalizeUrl from 'normalize-url';

/** Query parameters for tracking, which do not identify a page. */
const TRACKING =
  /^(?:utm_.*|fbclid|gclid|gclsrc|dclid|gbraid|wbraid|msclkid|twclid|ttclid|yclid|igsh|igshid|li_fat_id|mc_cid|mc_eid|mkt_tok|_ga|_gl|_hsenc|_hsmi|ref|ref_src|ref_url|referrer|referer)$/i;

const rules: Options = {
  stripProtocol: true,
  stripHash: true,
  stripWWW: true,
  removeTrailingSlash: true,
  removeQueryParameters: [TRACKING],
  sortQueryParameters: true,
};

/**
 * A form of a URL for comparison, equal for addresses of the same page: without scheme, `www.`, default port, trailing
 * slash, fragment and tracking parameters, with a lower-case host and sorted parameters. It cannot be opened.
 * An invalid URL is returned trimmed and in lower case.
 */
export const canonicalUrl = (url: string): string => {
  try {
    return normalizeUrl(url, rules);
  } catch {
    return url.trim().toLowerCase();
  }
};

/** The host of a URL without `www.` and port: equal for URLs of the same canonical form, and much cheaper to compute. */
export const canonicalHost = (url: string): string => {
  const parsed = URL.parse(url);
  const host =
    parsed?.protocol === 'http:' || parsed?.protocol === 'https:'
      ? parsed.hostname
      : canonicalUrl(url)
          .replace(/[/?#].*$/su, '')
          .replace(/:\d*$/u, '');
  return host.replace(/^(?:www\.)+/u, '').replace(/\.$/u, '');
};
