import { pagePrefixes } from '#contract/languages.ts';
import { environment } from '#platform/environment.ts';
import { addressOf } from './addresses.ts';

/** Pages for signed-in users, and lists with filters, of which search engines would find any number. */
const HIDDEN_PAGES = ['/me', '/submit', '/sign-in'];
/** Of two rules that match, the longer one counts. */
const SHOWN = ['/*?page=', '/feed*', '/atom*', '/badges/'];

/** What crawlers may read. */
export const robotsText = (): string => {
  const pages = pagePrefixes(environment().siteLanguages).flatMap((prefix) =>
    HIDDEN_PAGES.map((path) => `${prefix}${path}`),
  );
  const hidden = [...pages, '/console', '/*?'];
  const rules = environment().siteIndex
    ? [...hidden.map((path) => `Disallow: ${path}`), ...SHOWN.map((path) => `Allow: ${path}`)]
    : ['Disallow: /'];
  return `${['User-agent: *', ...rules, '', `Sitemap: ${addressOf('/sitemap.xml')}`].join('\n')}\n`;
};
