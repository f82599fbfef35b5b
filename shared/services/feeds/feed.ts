import { Feed } from 'feed';
import type { CatalogEntry, CategoryWithCount } from '#catalog/types.ts';
import { COLLECTION_PROJECTS_MAX } from '#contract/collections.ts';
import { FEED_MAX } from '#contract/feeds.ts';
import type { Site } from '#contract/settings.ts';
import type { CollectionRecord } from '#data/collections.ts';
import { cachedSettings } from '#data/settings.ts';
import { environment } from '#platform/environment.ts';
import { getCollection } from '#services/collections.ts';
import { type FilterQuery, publicListings } from '#services/projects/list.ts';
import { addressOf, listingAddress } from './addresses.ts';

const formats = {
  '/feed.xml': { contentType: 'application/rss+xml; charset=utf-8', write: (content: Content) => rss(content) },
  '/atom.xml': { contentType: 'application/atom+xml; charset=utf-8', write: (content: Content) => atom(content) },
  '/feed.json': { contentType: 'application/feed+json; charset=utf-8', write: (content: Content) => json(content) },
} as const;

/** A feed before it is written in a format. */
interface Content {
  /** Of the feed itself, with its query. */
  readonly address: string;
  readonly entries: readonly CatalogEntry[];
  readonly categories: readonly CategoryWithCount[];
  readonly site: Site;
  /** Whose listings they are, instead of the newest. */
  readonly collection: CollectionRecord | undefined;
}

/** The characters that XML 1.0 does not have, escaped or not. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove.
const NOT_IN_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

const inXml = (text: string): string => text.toWellFormed().replace(NOT_IN_XML, '');

/** A text for the writer of `feed`, which reads `&amp;` in texts as `&` before it escapes them. */
const plain = (text: string): string => inXml(text).replaceAll('&', '&amp;');

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** A plain text as HTML, which summaries of feeds are. Without `>`, it cannot end the CDATA section that it is written in. */
const asHtml = (text: string): string => inXml(text).replace(/[&<>]/g, (character) => ENTITIES[character] ?? character);

/** Absolute, as Atom requires of ids, and without an address, which may change. */
const permanentId = ({ project }: CatalogEntry): string => `urn:directory:${project.id}`;

const publicationOf = ({ project }: CatalogEntry): Date => new Date(project.published_at ?? project.created_at);

/** The last publication; a fixed time without one, so that equal feeds have equal bytes. */
const updatedAt = (entries: readonly CatalogEntry[]): Date =>
  new Date(Math.max(0, ...entries.map((entry) => publicationOf(entry).getTime())));

const titleOf = ({ site, collection }: Content): string =>
  collection ? `${collection.title} – ${site.name}` : site.name;

const descriptionOf = ({ site: { name, tagline }, collection }: Content): string =>
  collection ? `${collection.title}: a collection of ${name}.` : tagline || `The newest listings of ${name}.`;

/** The page that shows the listings. */
const pageOf = ({ collection }: Content): string => addressOf(collection ? `/collections/${collection.slug}` : '/');

const feedOf = (content: Content): Feed => {
  const { address, entries, site } = content;
  return new Feed({
    id: plain(address),
    title: plain(titleOf(content)),
    description: plain(descriptionOf(content)),
    link: pageOf(content),
    feed: address,
    updated: updatedAt(entries),
    generator: false,
    author: { name: plain(site.name) },
  });
};

const namesOf = ({ categories }: Content): ReadonlyMap<string, string> =>
  new Map(categories.map(({ category }) => [category.slug, category.name]));

/** The names of the categories of an entry, and its tags. */
const labelsOf = ({ project }: CatalogEntry, names: ReadonlyMap<string, string>): string[] => [
  ...project.categories.map((slug) => names.get(slug) ?? slug),
  ...project.tags,
];

const rss = (content: Content): string => {
  const feed = feedOf(content);
  const names = namesOf(content);
  for (const entry of content.entries) {
    const { id, name, slug, description } = entry.project;
    feed.addItem({
      // Titles of RSS are plain text. The package writes them as CDATA, of which it escapes one end only.
      title: '',
      extensions: [{ name: 'title', objects: { _text: plain(name) } }],
      guid: id,
      link: listingAddress(slug),
      date: publicationOf(entry),
      description: asHtml(description),
      category: labelsOf(entry, names).map((label) => ({ name: plain(label) })),
    });
  }
  return feed.rss2();
};

const atom = (content: Content): string => {
  const feed = feedOf(content);
  for (const entry of content.entries) {
    const { name, slug, description, categories } = entry.project;
    feed.addItem({
      title: asHtml(name),
      id: permanentId(entry),
      link: listingAddress(slug),
      date: publicationOf(entry),
      published: publicationOf(entry),
      description: asHtml(description),
      // Slugs: the package does not escape attributes as XML requires it.
      category: categories.map((term) => ({ term })),
    });
  }
  return feed.atom1();
};

/** Written directly: the package writes version 1.0. */
const json = (content: Content): string => {
  const names = namesOf(content);
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: titleOf(content),
    home_page_url: pageOf(content),
    feed_url: content.address,
    description: descriptionOf(content),
    ...(content.site.image_url !== null && { icon: content.site.image_url }),
    items: content.entries.map((entry) => {
      const { id, name, slug, url, description, logo_url: logo, screenshots } = entry.project;
      const image = screenshots[0] ?? logo;
      return {
        id,
        url: listingAddress(slug),
        external_url: url,
        title: name,
        content_text: description,
        ...(image !== null && { image }),
        date_published: publicationOf(entry).toISOString(),
        tags: labelsOf(entry, names),
      };
    }),
  });
};

/** The query of a feed in its own address: as it was understood, so that equal feeds have one address. */
const searchOf = (query: FeedQuery): string => {
  const { filter = {}, ...others } = query;
  const byField = Object.entries(filter).map(([key, value]): [string, string] => [`filter[${key}]`, value]);
  const given = Object.entries(others).flatMap(([name, value]): [string, string][] => {
    const isDefault = value === undefined || (name === 'pricing' && value === 'all');
    const isUnused = (name === 'radius_km' && query.near === undefined) || (Array.isArray(value) && value.length === 0);
    return isDefault || isUnused ? [] : [[name, String(value)]];
  });
  const parameters = [...given, ...byField];
  return parameters.length === 0 ? '' : `?${new URLSearchParams(parameters).toString()}`;
};

type FeedQuery = FilterQuery & { readonly collection?: string | undefined };

/** The listings of a feed: the newest that match the filters, or those of a collection in its order. */
const listingsOf = async (filters: FilterQuery, collection: CollectionRecord | undefined) => {
  const first = { ...filters, sort: 'newest', page: 1 } as const;
  if (!collection) {
    const { catalog, found } = await publicListings({ ...first, limit: FEED_MAX });
    return { catalog, entries: found.entries };
  }
  const ids = collection.project_ids;
  const { catalog, found } = await publicListings({ ...first, limit: COLLECTION_PROJECTS_MAX }, ids);
  const byId = new Map(found.entries.map((entry) => [entry.project.id, entry]));
  return { catalog, entries: ids.flatMap((id) => byId.get(id) ?? []).slice(0, FEED_MAX) };
};

/**
 * A feed of the listings that match the filters. @param path of its route, which decides the format.
 * @throws 400; 404 for a collection that is not public.
 */
export const readFeed = async (path: string, query: FeedQuery) => {
  const { contentType, write } = formats[path as keyof typeof formats];
  const { collection: reference, ...filters } = query;
  const isGiven = reference !== undefined && environment().features.collections;
  const collection = isGiven ? await getCollection(undefined, reference) : undefined;
  const { catalog, entries } = await listingsOf(filters, collection);
  const address = addressOf(`${path}${searchOf(isGiven ? query : filters)}`);
  const { site } = await cachedSettings();
  return { text: write({ address, entries, site, collection, categories: catalog.categories() }), contentType };
};
