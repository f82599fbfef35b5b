import * as z from 'zod';
import type { CatalogChange } from '#catalog/types.ts';
import type { CategoryRecord } from '#model/category.ts';
import { noCounts, type ProjectCounts, ProjectRecord } from '#model/project.ts';
import { TIME_LENGTH } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { categoryOf } from './categories.ts';
import { countsOf } from './counts.ts';
import { feedPartitions } from './keys.ts';
import { projectOf } from './projects.ts';
import { collectionPages, firstOfCollection, type Item } from './read.ts';

type Check = (value: unknown) => boolean;

/** Compiles the type, enum and range of a schema into a plain function, because a cold start validates every item. */
const checkOf = (schema: z.ZodType): Check => {
  if (schema instanceof z.ZodNullable) {
    const isValid = checkOf(schema.unwrap() as z.ZodType);
    return (value) => value === null || isValid(value);
  }
  if (schema instanceof z.ZodArray) {
    const isValid = checkOf(schema.element as z.ZodType);
    return (value) => Array.isArray(value) && value.every(isValid);
  }
  if (schema instanceof z.ZodEnum) {
    const options: readonly unknown[] = schema.options;
    return (value) => options.includes(value);
  }
  if (schema instanceof z.ZodNumber) {
    const [min, max] = [schema.minValue ?? Number.NEGATIVE_INFINITY, schema.maxValue ?? Number.POSITIVE_INFINITY];
    return (value) => Number.isFinite(value) && (value as number) >= min && (value as number) <= max;
  }
  if (schema instanceof z.ZodUnion) {
    const alternatives = schema.options.map((one) => checkOf(one as z.ZodType));
    return (value) => alternatives.some((isValid) => isValid(value));
  }
  if (schema instanceof z.ZodObject) {
    const members = Object.entries(schema.shape).map(([name, one]) => [name, checkOf(one as z.ZodType)] as const);
    return (value) =>
      typeof value === 'object' &&
      value !== null &&
      members.every(([name, isValid]) => isValid((value as Record<string, unknown>)[name]));
  }
  if (schema instanceof z.ZodOptional) {
    const isValid = checkOf(schema.unwrap() as z.ZodType);
    return (value) => value === undefined || isValid(value);
  }
  if (schema instanceof z.ZodNull) return (value) => value === null;
  if (schema instanceof z.ZodBoolean) return (value) => typeof value === 'boolean';
  if (schema instanceof z.ZodString || schema instanceof z.ZodTemplateLiteral)
    return (value) => typeof value === 'string';
  throw new Error(`The feed cannot validate a field of the type ${schema.def.type}.`);
};

type Checks<T> = readonly (readonly [keyof T & string, Check])[];

// `projectOf` has validated the required strings.
const projectChecks = Object.entries(ProjectRecord.shape)
  .filter(([, schema]) => !(schema instanceof z.ZodString))
  .map(([field, schema]) => [field as keyof ProjectRecord, checkOf(schema)] as const);

const countChecks = (Object.keys(noCounts) as (keyof ProjectCounts)[]).map(
  (field) => [field, Number.isFinite] as const,
);

const categoryChecks: Checks<CategoryRecord> = [
  ['sort_order', Number.isFinite],
  ['version', Number.isFinite],
];

/** The indexes of a catalog are shared by all projects: one invalid value would corrupt the results of others. */
const checked = <T>(record: T, checks: Checks<T>): T => {
  for (const [field, isValid] of checks) if (!isValid(record[field])) throw new Error(`The ${field} is invalid.`);
  return record;
};

const idOf = (id: unknown): string => {
  if (typeof id !== 'string') throw new Error('The id is missing.');
  return id;
};

const changeOf = (item: Item): CatalogChange => {
  switch (item.type) {
    case 'project':
      return { kind: 'project', project: checked(projectOf(item), projectChecks) };
    case 'counts':
      return { kind: 'counts', projectId: idOf(item.project_id), counts: checked(countsOf(item), countChecks) };
    case 'projectRemoved':
      return {
        kind: 'projectRemoved',
        projectId: idOf(item.project_id),
        ...(typeof item.version === 'number' && { version: item.version }),
      };
    case 'category':
      return { kind: 'category', category: checked(categoryOf(item), categoryChecks) };
    case 'categoryRemoved':
      return {
        kind: 'categoryRemoved',
        categoryId: idOf(item.category_id),
        ...(typeof item.version === 'number' && { version: item.version }),
        ...(typeof item.into === 'string' && { alias: { slug: idOf(item.slug), into: item.into } }),
      };
    default:
      throw new Error(`The item type ${String(item.type)} is unknown.`);
  }
};

/** Versions of items by the sort keys of the feed, which identify a change of an item. */
export type FeedVersions = Map<string, unknown>;

/** A part of the feed. */
interface FeedPage {
  readonly changes: readonly CatalogChange[];
  /** The version of each of its items. */
  readonly versions: FeedVersions;
  /**
   * All changes up to this time, ISO 8601 in UTC with milliseconds, are in this page and those before it; empty when no
   * item has a time.
   */
  readonly readUntil: string;
}

/** The time in an item's feed key; empty if it has none. */
const timeOf = (item: Item): string => {
  const stamp = String(item.feed_sk).slice(0, TIME_LENGTH);
  return Number.isNaN(Date.parse(stamp)) ? '' : stamp;
};

const lastTimeOf = (items: readonly Item[]): string => timeOf(items.findLast((item) => timeOf(item) !== '') ?? {});

/** The changes in feed items. Malformed items are skipped, counted and logged: one of them must not break all lists. */
const changesOf = (items: readonly Item[]): CatalogChange[] =>
  items.flatMap((item) => {
    try {
      return changeOf(item);
    } catch (error) {
      count('CatalogItemSkipped');
      log.error('skipped an invalid item of the feed', { pk: item.pk, sk: item.sk, error });
      return [];
    }
  });

/** The time limit of one query of the feed: below the timeout of every function, with time left to respond. */
export const FEED_QUERY_LIMIT_MS = 3000;

/** The items of a page while a catalog is in use: decoding it takes some milliseconds, in which no request is served. */
const FOLLOWED_PAGE_ITEMS = 200;
/** The items of a page of keys and versions. */
const VERSIONS_PAGE_ITEMS = 1000;

const versionsOf = (items: readonly Item[]): FeedVersions =>
  new Map(items.map(({ feed_sk, version }) => [String(feed_sk), version]));

/** A partition of the feed that has more items, as far as it has been read. */
class PartitionReader {
  readonly #pages: AsyncGenerator<readonly Item[]>;
  /** The time of the last item read; empty if there is none. */
  readUntil = '';

  constructor(partition: string, after: string | undefined) {
    this.#pages = collectionPages({
      partition,
      index: 'feed',
      queryLimitMs: FEED_QUERY_LIMIT_MS,
      ...(after !== undefined && { after, pageSize: FOLLOWED_PAGE_ITEMS }),
    });
  }

  /** The next items; undefined after the last ones. */
  async next(): Promise<readonly Item[] | undefined> {
    const { value } = await this.#pages.next();
    const items = value as readonly Item[] | undefined;
    if (items) this.readUntil = lastTimeOf(items) || this.readUntil;
    return items;
  }
}

/** `written`: the partitions that this stage writes to. `all`: also the partitions of earlier settings. */
export type Among = 'written' | 'all';

const partitionsAmong = (among: Among): readonly string[] =>
  among === 'all' ? feedPartitions : feedPartitions.slice(0, environment().feedShards);

/**
 * Reads the feed (projects, counters and categories by time of change) after a time: of each partition the oldest changes
 * first, of all partitions concurrently.
 * @throws {TimeLimitExceeded} when a query does not respond in time.
 */
export async function* feedSince(after: string | undefined, among: Among): AsyncGenerator<FeedPage> {
  const partitions = partitionsAmong(among);
  let unfinished = partitions.map((partition) => new PartitionReader(partition, after));
  let newest = '';
  while (unfinished.length > 0) {
    const reads = await Promise.all(unfinished.map(async (reader) => ({ reader, items: await reader.next() })));
    unfinished = reads.filter(({ items }) => items !== undefined).map(({ reader }) => reader);
    const times = unfinished.map(({ readUntil }) => readUntil).sort();
    newest = [newest, ...times].reduce((one, other) => (one > other ? one : other));
    const items = reads.flatMap((read) => read.items ?? []);
    // Later changes of the partition that was read least far are still missing.
    yield { changes: changesOf(items), versions: versionsOf(items), readUntil: times[0] ?? newest };
  }
}

/**
 * Reads a part of the feed again, for changes that were written late: only versions, and the items from the first to the last
 * one whose version is not known.
 * @param after @param before times, ISO 8601.
 * @throws {TimeLimitExceeded} when a query does not respond in time.
 */
export async function* lateChanges(
  after: string,
  before: string,
  known: FeedVersions,
  among: Among,
): AsyncGenerator<Omit<FeedPage, 'readUntil'>> {
  for (const partition of partitionsAmong(among)) {
    const range = { partition, index: 'feed', queryLimitMs: FEED_QUERY_LIMIT_MS } as const;
    const only = ['feed_sk', 'version'];
    for await (const page of collectionPages({ ...range, after, before, only, pageSize: VERSIONS_PAGE_ITEMS })) {
      const late = [...versionsOf(page)].flatMap(([change, version]) =>
        known.has(change) && known.get(change) === version ? [] : [change],
      );
      const [first, last = first] = [late[0], late.at(-1)];
      if (first === undefined) continue;
      // The bounds of a range are excluded.
      const bounds = { after: first.slice(0, -1), before: `${last} ` };
      for await (const items of collectionPages({ ...range, ...bounds, pageSize: FOLLOWED_PAGE_ITEMS }))
        yield { changes: changesOf(items), versions: versionsOf(items) };
    }
  }
}

/** Counts the changes in the feed after a time, or all of them, up to `max`. */
export const countFeedChanges = async (since: string | undefined, max: number): Promise<number> => {
  const after = since === undefined ? {} : { after: since };
  let total = 0;
  for (const partition of feedPartitions) {
    const changes = await firstOfCollection({ partition, index: 'feed', only: ['feed_sk'], ...after }, max - total);
    total += changes.length;
    if (total >= max) break;
  }
  return total;
};
