import type { PricingType, Status } from '#contract/projects.ts';
import type { CategoryRecord } from '#model/category.ts';
import { noCounts, type ProjectCounts } from '#model/project.ts';
import type { CategoryRemoval } from './category-list.ts';
import { Row } from './rows.ts';

// The format of a snapshot: columns of values. Numbers are stored as in memory (little-endian), texts concatenated
// after their lengths. Every column begins with its length, so that readers detect truncated or foreign data.

/** The bytes are not the expected columns. */
class InvalidColumns extends Error {
  override readonly name = 'InvalidColumns';
}

const NONE: readonly string[] = Object.freeze([]);

/** A copy, because typed arrays need aligned offsets. */
const aligned = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;

/** Whether a text is stored as Latin-1; all others are stored as UTF-8. */
const isLatin1 = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0xff) return false;
  return true;
};

/** Writes columns, to be read in the same order. */
class ColumnWriter {
  readonly #parts: Uint8Array[] = [];

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  numbers(values: readonly number[]): void {
    this.#add(new Uint8Array(Uint32Array.of(values.length).buffer));
    this.#add(new Uint8Array(Float64Array.from(values).buffer));
  }

  /** Texts without lone surrogates. */
  texts(values: readonly string[]): void {
    const latin1 = values.map(isLatin1);
    const encoded = values.map((text, at) => Buffer.from(text, latin1[at] ? 'latin1' : 'utf8'));
    const lengths = Uint32Array.from(encoded, (bytes, at) => bytes.length * 2 + (latin1[at] ? 0 : 1));
    const blob = Buffer.concat(encoded);
    this.#add(new Uint8Array(Uint32Array.of(values.length, blob.length).buffer));
    this.#add(new Uint8Array(lengths.buffer));
    this.#add(blob);
  }

  textsOrNull(values: readonly (string | null)[]): void {
    this.numbers(values.map((value) => (value === null ? 1 : 0)));
    this.texts(values.filter((value) => value !== null));
  }

  /** Dictionary encoding, for texts that recur. */
  dictionary(values: readonly string[]): void {
    const positions = new Map<string, number>();
    for (const value of values) if (!positions.has(value)) positions.set(value, positions.size);
    this.texts([...positions.keys()]);
    this.numbers(values.map((value) => positions.get(value) as number));
  }

  /** Lists of texts that recur. */
  lists(values: readonly (readonly string[])[]): void {
    this.numbers(values.map((list) => list.length));
    this.dictionary(values.flat());
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

/**
 * Texts are slices of strings of this size. V8's garbage collector neither copies strings of more than 128 KB, as it does separate
 * ones, nor starts early because of them, as it does for those of more than 1 MB, which Node keeps outside of the heap. The memory
 * of one is released with its last slice.
 */
const CHUNK_BYTES = 512 * 1024;

/** Reads columns in the order of writing. @throws {InvalidColumns} from each method. */
class ColumnReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new InvalidColumns('The data is truncated.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #uint(): number {
    return this.#take(4).readUInt32LE();
  }

  numbers(): Float64Array {
    const length = this.#uint();
    const bytes = this.#take(length * Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(aligned(bytes));
  }

  texts(): string[] {
    const [count, size] = [this.#uint(), this.#uint()];
    const lengths = new Uint32Array(aligned(this.#take(count * Uint32Array.BYTES_PER_ELEMENT)));
    const blob = this.#take(size);
    const values = new Array<string>(count);
    let from = 0;
    let [chunk, chunkFrom, chunkEnd] = ['', 0, 0];
    for (let at = 0; at < count; at += 1) {
      const length = lengths[at] as number;
      const to = from + (length >>> 1);
      if (to > size) throw new InvalidColumns('A text is longer than its column.');
      if (length & 1) {
        values[at] = blob.toString('utf8', from, to);
      } else {
        if (to > chunkEnd) {
          [chunkFrom, chunkEnd] = [from, Math.min(size, Math.max(to, from + CHUNK_BYTES))];
          chunk = blob.toString('latin1', chunkFrom, chunkEnd);
        }
        values[at] = chunk.slice(from - chunkFrom, to - chunkFrom);
      }
      from = to;
    }
    if (from !== size) throw new InvalidColumns('A column of texts has excess data.');
    return values;
  }

  textsOrNull(): (string | null)[] {
    const missing = this.numbers();
    const texts = this.texts();
    const values = new Array<string | null>(missing.length);
    let next = 0;
    for (let at = 0; at < missing.length; at += 1) {
      const value = missing[at] === 1 ? null : texts[next++];
      if (value === undefined) throw new InvalidColumns('A text is missing.');
      values[at] = value;
    }
    if (next !== texts.length) throw new InvalidColumns('A column of texts has excess texts.');
    return values;
  }

  dictionary(): string[] {
    const entries = this.texts();
    const positions = this.numbers();
    const values = new Array<string>(positions.length);
    for (let at = 0; at < positions.length; at += 1) {
      const entry = entries[positions[at] as number];
      if (entry === undefined) throw new InvalidColumns('A dictionary entry is missing.');
      values[at] = entry;
    }
    return values;
  }

  lists(): (readonly string[])[] {
    const lengths = this.numbers();
    const members = this.dictionary();
    const lists = new Array<readonly string[]>(lengths.length);
    let from = 0;
    for (let at = 0; at < lengths.length; at += 1) {
      const to = from + (lengths[at] as number);
      const list = from === to ? NONE : members.slice(from, to);
      if (list.length !== to - from) throw new InvalidColumns('A list is longer than its column.');
      lists[at] = list;
      from = to;
    }
    if (from !== members.length) throw new InvalidColumns('A column of lists has excess members.');
    return lists;
  }

  /** @throws {InvalidColumns} when data is left. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new InvalidColumns('There is excess data.');
  }
}

/** The complete state of a catalog, without the indexes derived from it. */
export interface CatalogContents {
  readonly rows: readonly Row[];
  readonly categories: readonly CategoryRecord[];
  readonly removedCategories: readonly CategoryRemoval[];
  /** Ids, each with the version up to which the project is removed. */
  readonly removedProjects: readonly (readonly [string, number])[];
  /** By project id, counters that arrived before their project. */
  readonly pendingCounts: readonly (readonly [string, ProjectCounts])[];
}

/** Incremented with every change of the columns or their meaning. Snapshots of other formats are not read. */
export const SNAPSHOT_FORMAT = 3;

const MAGIC = 0x43_41_54_4c;

const NO_COUNTS = -1;

const writeCounts = (to: ColumnWriter, all: readonly ProjectCounts[]): void => {
  // Distinguishes a project without a counters item from one whose counters are 0.
  to.numbers(all.map((counts) => (counts === noCounts ? NO_COUNTS : counts.version)));
  to.numbers(all.map((counts) => counts.upvote_count));
  to.numbers(all.map((counts) => counts.ratings_sum));
  to.numbers(all.map((counts) => counts.ratings_count));
  to.numbers(all.map((counts) => counts.comments_count));
  to.numbers(all.map((counts) => counts.views_count));
  to.numbers(all.map((counts) => counts.reports_open));
};

const readCounts = (from: ColumnReader): ProjectCounts[] => {
  const versions = from.numbers();
  const [upvotes, sums, ratings, comments, views, reports] = [
    from.numbers(),
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
            reports_open: reports[at] as number,
            version,
          };
  }
  return counts;
};

const writeRows = (to: ColumnWriter, rows: readonly Row[]): void => {
  to.texts(rows.map((row) => row.id));
  to.numbers(rows.map((row) => row.version));
  to.dictionary(rows.map((row) => row.owner));
  to.dictionary(rows.map((row) => row.status));
  to.dictionary(rows.map((row) => row.pricing));
  to.lists(rows.map((row) => row.categories));
  to.lists(rows.map((row) => row.tags));
  to.numbers(rows.map((row) => row.latitude ?? Number.NaN));
  to.numbers(rows.map((row) => row.longitude ?? Number.NaN));
  to.texts(rows.map((row) => row.created));
  // Most are published at their creation: null stands for that, a column of its own marks unpublished listings.
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
  const owners = from.dictionary();
  const statuses = from.dictionary();
  const pricings = from.dictionary();
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
    throw new InvalidColumns('The columns of the listings differ in length.');
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
  // JSON: there are few of them, and fields may be added without a new format.
  to.texts(categories.map((category) => JSON.stringify(category)));
};

const readCategories = (from: ColumnReader): CategoryRecord[] =>
  from.texts().map((text) => JSON.parse(text) as CategoryRecord);

const writeRemovals = (to: ColumnWriter, removals: readonly CategoryRemoval[]): void => {
  to.texts(removals.map(({ id }) => id));
  to.numbers(removals.map(({ version }) => version));
  to.textsOrNull(removals.map(({ alias }) => alias?.slug ?? null));
  to.textsOrNull(removals.map(({ alias }) => alias?.into ?? null));
};

const readRemovals = (from: ColumnReader): CategoryRemoval[] => {
  const ids = from.texts();
  const [versions, slugs, targets] = [from.numbers(), from.textsOrNull(), from.textsOrNull()];
  if ([versions, slugs, targets].some(({ length }) => length !== ids.length))
    throw new InvalidColumns('The columns of the removed categories differ in length.');
  return ids.map((id, at) => {
    const [slug, into] = [slugs[at] ?? null, targets[at] ?? null];
    const alias = slug === null || into === null ? null : { slug, into };
    return { id, version: versions[at] as number, alias };
  });
};

/** @returns the uncompressed bytes. */
export const writeSnapshot = (contents: CatalogContents): Uint8Array => {
  const { rows, categories, removedCategories, removedProjects, pendingCounts } = contents;
  const to = new ColumnWriter();
  to.numbers([MAGIC, SNAPSHOT_FORMAT]);
  writeRows(to, rows);
  writeCategories(to, categories);
  writeRemovals(to, removedCategories);
  to.texts(removedProjects.map(([id]) => id));
  to.numbers(removedProjects.map(([, version]) => version));
  to.texts(pendingCounts.map(([id]) => id));
  writeCounts(
    to,
    pendingCounts.map(([, counts]) => counts),
  );
  return to.bytes();
};

const pairs = <V>(ids: readonly string[], values: ArrayLike<V>): (readonly [string, V])[] => {
  if (ids.length !== values.length) throw new InvalidColumns('Two related columns differ in length.');
  return ids.map((id, at) => [id, values[at] as V] as const);
};

/**
 * Restores contents from the bytes of `writeSnapshot`. Does not detect changed values: the caller verifies a digest.
 * @throws {InvalidColumns} when the bytes have another format or are not a snapshot.
 */
export const readSnapshot = (bytes: Uint8Array): CatalogContents => {
  const from = new ColumnReader(bytes);
  const [magic, format] = from.numbers();
  if (magic !== MAGIC || format !== SNAPSHOT_FORMAT)
    throw new InvalidColumns('These bytes are not a snapshot of this format.');
  const contents: CatalogContents = {
    rows: readRows(from),
    categories: readCategories(from),
    removedCategories: readRemovals(from),
    removedProjects: pairs(from.texts(), from.numbers()),
    pendingCounts: pairs(from.texts(), readCounts(from)),
  };
  from.end();
  return contents;
};
