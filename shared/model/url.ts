import type { Options } from 'normalize-url';
import normalizeUrl from 'normalize-url';
import { withoutWww } from '#contract/host.ts';

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
  return withoutWww(host.replace(/\.$/u, ''));
};

/**
 * Hosts of public URL shorteners. No maintained list is available as a package with a permissive licence; docs/adr/0062 says
 * how this one came about.
 */
export const urlShorteners: ReadonlySet<string> = new Set(
  `adf.ly aka.ms amzn.to b.link bit.do bit.ly bitly.com bl.ink buff.ly chilp.it clck.ru cli.re cutt.ly cutt.us db.tt dlvr.it
  dub.sh fb.me g.co gg.gg git.io go.ly goo.gl han.gl hubs.ly ift.tt is.gd j.mp kutt.it lnkd.in lnk.to mcaf.ee
  msft.it n9.cl ow.ly po.st ppt.cc q.gs qr.ae qrco.de rb.gy rebrand.ly reurl.cc rotf.lol s.id s2r.co sh.st short.io
  shorturl.at shorte.st smarturl.it snip.ly soo.gd su.pr surl.li t.co t.ly t2m.io tiny.cc tiny.one tinyurl.com tny.im tr.im
  trib.al u.nu u.to urlz.fr urly.it v.gd vk.cc w.wiki wp.me x.co y2u.be zpr.io zws.im`.split(/\s+/),
);
