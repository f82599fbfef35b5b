import { byFieldOrder, type CurrentField, type FieldRecord, Fields, fieldsOff, noFields } from '#model/field.ts';
import { elapsed, type Moment, moment, NEVER } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { singleFlight } from '#platform/single-flight.ts';
import { ConflictError } from './conflict.ts';
import {
  categoriesPartition,
  categoryPrefix,
  categorySlugPrefix,
  categoryTombstonePrefix,
  fieldKey,
  fieldPrefix,
  fieldsPartition,
  fieldsVersionKey,
  type Key,
} from './keys.ts';
import { findItems, type Item, inKeyOrder, wholeCollection } from './read.ts';
import { absent, every, exists, is, transact, type Write } from './write.ts';

/** A definition as stored. */
export const fieldItem = ({ type, ...field }: FieldRecord): Item & Key => ({
  ...fieldKey(field.id),
  type: 'field',
  field_type: type,
  ...field,
});

/** In the order of its members in responses, on which entity tags depend. */
const fieldOf = (item: Item): FieldRecord => {
  const field = item as unknown as FieldRecord;
  return {
    id: field.id,
    key: field.key,
    type: item.field_type as FieldRecord['type'],
    label: field.label,
    help: field.help,
    unit: field.unit,
    options: field.options.map(({ value, label }) => ({ value, label })),
    categories: inKeyOrder(field.categories),
    required: field.required,
    access: field.access,
    edit: field.edit,
    filterable: field.filterable,
    sortable: field.sortable,
    searchable: field.searchable,
    in_card: field.in_card,
    min: field.min,
    max: field.max,
    sort_order: field.sort_order,
    deleted_at: field.deleted_at,
    version: field.version,
  };
};

/** All stored definitions, also deleted ones, in their order. */
export interface StoredFields {
  readonly records: readonly FieldRecord[];
  /** Increases with every change of one of them: limits and keys are about all. 0 before the first one. */
  readonly version: number;
}

/** Strongly consistent. */
export const storedFields = async (): Promise<StoredFields> => {
  const items = await wholeCollection({ partition: fieldsPartition });
  const version = items.find(({ sk }) => sk === fieldsVersionKey.sk)?.version;
  return {
    records: items
      .filter(({ sk }) => String(sk).startsWith(fieldPrefix))
      .map(fieldOf)
      .toSorted(byFieldOrder),
    version: Number(version ?? 0),
  };
};

/** A definition was changed since they were read. */
class FieldsChanged extends ConflictError {
  override readonly name = 'FieldsChanged';
}

/** The number of changes of definitions as stored. */
export const fieldsVersionItem = (version: number): Item & Key => ({
  ...fieldsVersionKey,
  type: 'fieldsVersion',
  version,
});

const nextVersion = (version: number): Write => ({
  put: fieldsVersionItem(version + 1),
  when: version === 0 ? absent : every(exists, is('version', version)),
  orElse: () => new FieldsChanged('The field definitions were changed concurrently.'),
});

let writtenAt = Number.NEGATIVE_INFINITY;

/** When this process last wrote a definition, in milliseconds of the monotonic clock. */
export const fieldsWrittenAt = (): number => writtenAt;

/** Stores a definition. @throws {FieldsChanged} when any was changed since `version` was read. */
export const putField = async (field: FieldRecord, version: number): Promise<void> => {
  await transact([{ put: fieldItem(field) }, nextVersion(version)]);
  writtenAt = performance.now();
};

/** Removes a definition for good. @throws {FieldsChanged} when any was changed since `version` was read. */
export const purgeField = async (id: string, version: number): Promise<void> => {
  await transact([{ delete: fieldKey(id) }, nextVersion(version)]);
  writtenAt = performance.now();
};

/** Those ids of definitions that were purged. Strongly consistent. */
export const purgedFields = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const items = await findItems(ids.map(fieldKey));
  return new Set(ids.filter((_, index) => items[index] === undefined));
};

/** The categories as definitions name them. */
class CategorySlugs {
  readonly #slugs = new Map<string, string>();
  readonly #into = new Map<string, string>();
  readonly #claims: readonly { readonly slug: string; readonly id: string }[];

  constructor(items: readonly Item[]) {
    const withPrefix = (prefix: string): readonly Item[] => items.filter(({ sk }) => String(sk).startsWith(prefix));
    for (const { id, slug } of withPrefix(categoryPrefix)) this.#slugs.set(String(id), String(slug));
    for (const { category_id, into } of withPrefix(categoryTombstonePrefix)) {
      if (typeof into === 'string') this.#into.set(String(category_id), into);
    }
    this.#claims = withPrefix(categorySlugPrefix).map(({ sk, category_id }) => ({
      slug: String(sk).slice(categorySlugPrefix.length),
      id: this.#current(String(category_id)),
    }));
  }

  /** The definition with the slugs of its categories, and of those that were merged into them. */
  resolve(field: FieldRecord): CurrentField {
    const current = field.categories.map(({ id, slug }) => ({ id: this.#current(id), slug }));
    const ids = new Set(current.map(({ id }) => id).filter((id) => this.#slugs.has(id)));
    return {
      ...field,
      slugs: [...new Set(current.map(({ id, slug }) => this.#slugs.get(id) ?? slug))],
      within:
        field.categories.length === 0
          ? undefined
          : new Set(this.#claims.flatMap(({ slug, id }) => (ids.has(id) ? slug : []))),
    };
  }

  /** The category that a merged one was merged into, after any number of merges. */
  #current(id: string): string {
    let current = id;
    for (let next = this.#into.get(id); next !== undefined && !this.#slugs.has(current); next = this.#into.get(next)) {
      current = next;
    }
    return current;
  }
}

/** Definitions with the present slugs of their categories. */
export const withSlugs = async (records: readonly FieldRecord[]): Promise<readonly CurrentField[]> => {
  const isAnyWithin = records.some(({ categories }) => categories.length > 0);
  const categories = new CategorySlugs(isAnyWithin ? await wholeCollection({ partition: categoriesPartition }) : []);
  return records.map((field) => categories.resolve(field));
};

const textOf = (fields: readonly CurrentField[]): string =>
  JSON.stringify(fields.map((field) => ({ ...field, within: field.within && [...field.within] })));

let current = noFields;
let currentText = textOf([]);
let readAt: Moment = NEVER;

/** The present definitions; the same object as long as none changes. None while the feature is off. */
export const readFields = singleFlight(async (): Promise<Fields> => {
  if (!environment().features.fields) return fieldsOff;
  const beganAt = moment();
  const definitions = await withSlugs((await storedFields()).records);
  const text = textOf(definitions);
  if (text !== currentText) current = new Fields(definitions);
  currentText = text;
  readAt = beganAt;
  return current;
});

/** How old definitions may be, in milliseconds. Those that this process wrote are included. */
const MAX_AGE_MS = 1000;

/** The definitions, at most a second old. */
export const currentFields = async (): Promise<Fields> => {
  if (!environment().features.fields) return fieldsOff;
  const calledAt = moment();
  while (
    readAt.monotonic < calledAt.monotonic &&
    (writtenAt > readAt.monotonic || elapsed(readAt, calledAt) > MAX_AGE_MS)
  ) {
    await readFields();
  }
  return current;
};
