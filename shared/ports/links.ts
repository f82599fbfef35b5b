import { bookmarks } from '#data/bookmarks.ts';
import { catalog } from '#data/catalog.ts';
import { findLinks, keepLink } from '#data/links.ts';
import { now } from '#platform/clock.ts';
import { probeOutbound } from '#platform/outbound.ts';
import { settings } from '#platform/settings.ts';

/** What checking links by the clock works with. */
export const linkPorts = {
  ...bookmarks,
  now,
  catalog,
  findLinks,
  keepLink,
  // Whoever looks into his log shall find out who asks.
  probe: (url: string) =>
    probeOutbound({ url, headers: { 'user-agent': `directory-link-check (+${settings().siteUrl})`, accept: '*/*' } }),
};
