import { pagePrefixes, withPrefix } from '#contract/languages.ts';
import { catalog } from '#data/catalog.ts';
import { allCollections } from '#data/collections.ts';
import { cachedSettings } from '#data/settings.ts';
import { environment } from '#platform/environment.ts';
import { mustExist, notFound } from '#shared/errors.ts';
import { addressOf } from './addresses.ts';

/** The ranks of a part: its answer has a quarter of what a response may have. */
const PART_MAX = 10_000;

/** The part with the pages that are no listings. */
const PAGES = 'pages';

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
};
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

interface Location {
  readonly address: string;
  /** ISO 8601; unknown when absent. */
  readonly changedAt?: string;
}

const document = (root: string, element: string, locations: readonly Location[]): string => {
  const entries = locations.map(({ address, changedAt }) => {
    const changed = changedAt === undefined ? '' : `<lastmod>${changedAt}</lastmod>`;
    return `<${element}><loc>${escaped(address)}</loc>${changed}</${element}>\n`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root} xmlns="${NAMESPACE}">\n${entries.join('')}</${root}>\n`;
};

const lastOf = (times: readonly string[]): string => times.reduce((last, time) => (time > last ? time : last), '');

/**
 * The index of the parts. A listing stays in its part: parts are ranges of all listings in the order of their creation, so
 * that a decision about one does not move the others. A part without live listings is left out. Each language has parts of its
 * own: the pages name their translations.
 */
export const sitemapIndex = async (): Promise<string> => {
  const current = await catalog();
  const parts: { readonly part: string | number; readonly changedAt?: string }[] = [{ part: PAGES }];
  for (let from = 0; from < current.size; from += PART_MAX) {
    const live = current.liveCreated(from, PART_MAX);
    const changedAt = lastOf(live.map((listing) => listing.changedAt));
    if (live.length > 0) parts.push({ part: from / PART_MAX + 1, changedAt });
  }
  const locations = environment().siteLanguages.flatMap((language, index) =>
    parts.map(({ part, ...change }) => ({
      address: addressOf(`/sitemaps/${index === 0 ? '' : `${language}-`}${part}.xml`),
      ...change,
    })),
  );
  return document('sitemapindex', 'sitemap', locations);
};

/** The pages that are no listings, and that search engines may show. */
const pages = async (prefix: string): Promise<Location[]> => {
  const categories = (await catalog()).categories().filter(({ projectCount }) => projectCount > 0);
  const { features } = environment();
  const collections = features.collections ? (await allCollections()).filter((one) => one.is_public) : [];
  const { site } = await cachedSettings();
  const legal = (['imprint', 'privacy', 'terms'] as const).filter((name) => site.texts[name] !== '');
  const paths = [
    '/',
    '/projects',
    '/categories',
    ...(features.map ? ['/map'] : []),
    ...categories.map(({ category }) => `/categories/${category.slug}`),
    ...collections.map(({ slug }) => `/collections/${slug}`),
    ...(site.texts.about === '' ? [] : ['/about']),
    ...legal.map((name) => `/legal/${name}`),
  ];
  return paths.map((path) => ({ address: addressOf(withPrefix(prefix, path)) }));
};

const listings = async (prefix: string, part: number): Promise<Location[]> =>
  (await catalog())
    .liveCreated((part - 1) * PART_MAX, PART_MAX)
    .map(({ slug, changedAt }) => ({ address: addressOf(`${prefix}/projects/${slug}`), changedAt }));

/** The beginning of the addresses of a part, from the name of its file. @throws 404 for a language that the pages are not in. */
const prefixOf = (language: string | undefined): string => {
  const wanted = language === undefined ? '' : `/${language}`;
  return mustExist(pagePrefixes(environment().siteLanguages).find((prefix) => prefix === wanted));
};

/** A part of the sitemap. @param file its name with the extension. @throws 404 for a part without pages. */
export const sitemapPart = async (file: string): Promise<string> => {
  const [, language, part] = mustExist(/^(?:([a-z]{2})-)?(pages|[1-9]\d{0,5})\.xml$/.exec(file) ?? undefined);
  const prefix = prefixOf(language);
  const locations = part === PAGES ? await pages(prefix) : await listings(prefix, Number(part));
  if (locations.length === 0) throw notFound();
  return document('urlset', 'url', locations);
};
