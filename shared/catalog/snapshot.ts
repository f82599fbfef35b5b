import type { PricingType, Status } from '#contract/projects.ts';
import type { CategoryRecord } from '#domain/categories/category.ts';
import { noCounts, type ProjectCounts } from '#domain/projects/project.ts';
import { ColumnReader, ColumnsUnreadable, ColumnWriter } from './columns.ts';
import { Row } from './row.ts';

/** All that a catalog knows, without what is derived from it. */
export interface CatalogContents {
  readonly rows: readonly Row[];
  readonly categories: readonly CategoryRecord[];
  /** Ids of categories that are gone for good. */
  readonly gone: readonly string[];
  /** Ids of projects that are gone for good, each with the version up to which it is. */
  readonly removed: readonly (readonly [string, number])[];
  /** Counters of projects that were not heard of yet. */
  readonly earlyCounts: readonly (readonly [string, ProjectCounts])[];
}

/** Grows with every change of what the columns are or mean: a reader of another format goes without. */
export const SNAPSHOT_FORMAT = 1;

const MAGIC = 0x43_41_54_4c;

const NO_COUNTS = -1;

const writeCounts = (to: ColumnWriter, all: readonly ProjectCounts[]): void => {
  // Whether anything was ever counted is more than zeroes say.
  to.numbers(all.map((counts) => (counts === noCounts ? NO_COUNTS : counts.version)));
  to.numbers(all.map((counts) => counts.upvote_count));
  to.numbers(all.map((counts) => counts.ratings_sum));
  to.numbers(all.map((counts) => counts.ratings_count));
  to.numbers(all.map((counts) => counts.comments_count));
  to.numbers(all.map((counts) => counts.views_count));
};

const readCounts = (from: ColumnReader): ProjectCounts[] => {
  const versions = from.numbers();
  const [upvotes, sums, ratings, comments, views] = [
    from.numbers(),
    from.numbers(),
    from.numbers(),
    from.numbers(),
    from.numbers(),
  ];
  const counts = new Array<ProjectCounts>(versions.length);
  for (let at = 0; at < versions.length; at += 1) {
    const version = versions[at] as number;
    counts[at] =
      version === NO_COUNTS
        ? noCounts
        : {
            upvote_count: upvotes[at] as number,
            ratings_sum: sums[at] as number,
            ratings_count: ratings[at] as number,
            comments_count: comments[at] as number,
            views_count: views[at] as number,
            version,
          };
  }
  return counts;
};

const writeRows = (to: ColumnWriter, rows: readonly Row[]): void => {
  to.texts(rows.map((row) => row.id));
  to.numbers(rows.map((row) => row.version));
  to.words(rows.map((row) => row.owner));
  to.words(rows.map((row) => row.status));
  to.words(rows.map((row) => row.pricing));
  to.lists(rows.map((row) => row.categories));
  to.lists(rows.map((row) => row.tags));
  to.numbers(rows.map((row) => row.latitude ?? Number.NaN));
  to.numbers(rows.map((row) => row.longitude ?? Number.NaN));
  to.texts(rows.map((row) => row.created));
  // Most are published when they are made; those that were not at all are told from those that were then.
  to.numbers(rows.map((row) => (row.publishedAt === null ? 1 : 0)));
  to.textsOrNull(rows.map((row) => (row.publishedAt === row.created ? null : row.publishedAt)));
  to.textsOrNull(rows.map((row) => row.deletedAt));
  to.texts(rows.map((row) => row.texts));
  writeCounts(
    to,
    rows.map((row) => row.counts),
  );
};

const degrees = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

const readRows = (from: ColumnReader): Row[] => {
  const ids = from.texts();
  const versions = from.numbers();
  const owners = from.words();
  const statuses = from.words();
  const pricings = from.words();
  const categories = from.lists();
  const tags = from.lists();
  const latitudes = from.numbers();
  const longitudes = from.numbers();
  const created = from.texts();
  const unpublished = from.numbers();
  const published = from.textsOrNull();
  const deleted = from.textsOrNull();
  const texts = from.texts();
  const counts = readCounts(from);
  const columns = [versions, owners, statuses, pricings, categories, tags, latitudes, longitudes];
  if (
    [...columns, created, unpublished, published, deleted, texts, counts].some(({ length }) => length !== ids.length)
  ) {
    throw new ColumnsUnreadable('Columns of listings are not of one length.');
  }
  return ids.map(
    (id, at) =>
      new Row({
        id,
        version: versions[at] as number,
        owner: owners[at] as string,
        status: statuses[at] as Status,
        pricing: pricings[at] as PricingType,
        categories: categories[at] as readonly string[],
        tags: tags[at] as readonly string[],
        latitude: degrees(latitudes[at]),
        longitude: degrees(longitudes[at]),
        created: created[at] as string,
        publishedAt: unpublished[at] === 1 ? null : (published[at] ?? (created[at] as string)),
        deletedAt: deleted[at] as string | null,
        texts: texts[at] as string,
        counts: counts[at] as ProjectCounts,
      }),
  );
};

const writeCategories = (to: ColumnWriter, categories: readonly CategoryRecord[]): void => {
  // There are few of them, and they may come to have other fields.
  to.texts(categories.map((category) => JSON.stringify(category)));
};

const readCategories = (from: ColumnReader): CategoryRecord[] =>
  from.texts().map((text) => JSON.parse(text) as CategoryRecord);

/** The contents of a catalog as bytes, not yet compressed. */
export const writeSnapshot = ({ rows, categories, gone, removed, earlyCounts }: CatalogContents): Uint8Array => {
  const to = new ColumnWriter();
  to.numbers([MAGIC, SNAPSHOT_FORMAT]);
  writeRows(to, rows);
  writeCategories(to, categories);
  to.texts(gone);
  to.texts(removed.map(([id]) => id));
  to.numbers(removed.map(([, version]) => version));
  to.texts(earlyCounts.map(([id]) => id));
  writeCounts(
    to,
    earlyCounts.map(([, counts]) => counts),
  );
  return to.bytes();
};

const pairs = <V>(ids: readonly string[], values: ArrayLike<V>): (readonly [string, V])[] => {
  if (ids.length !== values.length) throw new ColumnsUnreadable('Columns are not of one length.');
  return ids.map((id, at) => [id, values[at] as V] as const);
};

/**
 * The contents that were written. Whether the bytes are those that were written is for whoever keeps them to check.
 * @throws {ColumnsUnreadable} when they are of another format or no snapshot at all.
 */
export const readSnapshot = (bytes: Uint8Array): CatalogContents => {
  const from = new ColumnReader(bytes);
  const [magic, format] = from.numbers();
  if (magic !== MAGIC || format !== SNAPSHOT_FORMAT) throw new ColumnsUnreadable('This is no snapshot of this format.');
  const contents: CatalogContents = {
    rows: readRows(from),
    categories: readCategories(from),
    gone: from.texts(),
    removed: pairs(from.texts(), from.numbers()),
    earlyCounts: pairs(from.texts(), readCounts(from)),
  };
  from.end();
  return contents;
};
