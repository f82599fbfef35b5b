import normalizeUrl, { type Options } from 'normalize-url';

/** Parameters that say where a visitor came from and never which page is meant. */
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
 * The form in which two addresses of the same page are the same text: without scheme, `www.`, default port, trailing slash,
 * fragment and tracking parameters, the host in lower case and the parameters in order. For comparing, not for opening.
 * What is no address comes back trimmed and in lower case; never throws.
 */
export const canonicalUrl = (url: string): string => {
  try {
    return normalizeUrl(url, rules);
  } catch {
    return url.trim().toLowerCase();
  }
};

/**
 * The host of an address without `www.` and port: the same text for all addresses of one canonical form, and many times
 * cheaper to tell. Never throws.
 */
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
