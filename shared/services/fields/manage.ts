import {
  type AdminField,
  FIELDS_MAX,
  FILTERABLE_MAX,
  type Field,
  type FieldBody,
  type FieldUpdate,
  SEARCHABLE_MAX,
  SORTABLE_MAX,
} from '#contract/custom-fields.ts';
import { Project, ProjectEdit, Submission } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { categoryIds } from '#data/categories.ts';
import { retryOnConflict } from '#data/conflict.ts';
import {
  currentFields,
  purgeField,
  putField,
  type StoredFields,
  storedFields,
  withSlugs,
} from '#data/custom-fields.ts';
import { DAY_MS } from '#model/days.ts';
import { digest, mustMatch, recordTag } from '#model/entity-tag.ts';
import { type CurrentField, countDiminished, definitionIssues, type FieldRecord, type Fields } from '#model/field.ts';
import { now } from '#platform/clock.ts';
import { createOnce } from '#services/create-once.ts';
import { conflict, invalidField, invalidFields, mustExist, notFound } from '#shared/errors.ts';

/** The distance between the `sort_order` of consecutive fields. */
const SORT_STEP = 10;

/** How long a deleted definition can be restored, in milliseconds. */
const RETENTION_MS = 30 * DAY_MS;

const fieldView = ({
  categories: _categories,
  slugs,
  within: _within,
  version: _version,
  options,
  ...field
}: CurrentField) => ({ ...field, options: [...options], categories: [...slugs] }) satisfies Field;

const adminView = (field: CurrentField): AdminField => {
  const view = fieldView(field);
  return { ...view, etag: recordTag(field.version, digest(JSON.stringify(view))) };
};

const publicFields = ({ all }: Fields): Field[] => all.filter(({ access }) => access === 'public').map(fieldView);

/** The definitions that all callers may read. */
export const listFields = async (): Promise<Field[]> => publicFields(await currentFields());

/** The same as the catalog of this process has them, which filters and counts by them. */
export const listedFields = async (): Promise<Field[]> => publicFields((await catalog()).fields);

/** All stored definitions, also deleted ones. */
export const browseFields = async (): Promise<AdminField[]> =>
  (await withSlugs((await storedFields()).records)).map(adminView);

const findField = ({ records }: StoredFields, reference: string): FieldRecord | undefined =>
  records.find(({ id, key }) => id === reference || key === reference);

/** @param reference an id or a key. @throws 404. */
export const getField = async (reference: string): Promise<FieldRecord> =>
  mustExist(findField(await storedFields(), reference));

/** Also the name that the client of the table does not accept in maps. */
const memberNames = new Set([
  'constructor',
  ...[Project, ProjectEdit, Submission].flatMap(({ shape }) => Object.keys(shape)),
]);

/** @throws 400 for the name of another member of projects, 409 for the key of another field. */
const mustBeFree = (key: string, { records }: StoredFields): void => {
  if (memberNames.has(key)) throw invalidField(['key'], `"${key}" is reserved`);
  if (records.some((field) => field.key === key))
    throw conflict('FIELD_EXISTS', `The key "${key}" belongs to a field.`);
};

const limits = [
  ['fields', FIELDS_MAX, () => true],
  ['filterable fields', FILTERABLE_MAX, ({ filterable }: FieldRecord) => filterable],
  ['sortable fields', SORTABLE_MAX, ({ sortable }: FieldRecord) => sortable],
  ['searchable fields', SEARCHABLE_MAX, ({ searchable }: FieldRecord) => searchable],
] as const;

/** @throws 409 when a change adds to what is complete. */
const mustFit = (records: readonly FieldRecord[], next: FieldRecord): void => {
  const others = records.filter(({ id, deleted_at }) => id !== next.id && deleted_at === null);
  for (const [name, max, counts] of limits) {
    if (next.deleted_at === null && counts(next) && others.filter(counts).length >= max) {
      throw conflict('LIMIT_REACHED', `There are ${max} ${name} already.`);
    }
  }
};

/** The categories of a definition with their ids. @param known its present ones. @throws 400 naming a slug that does not exist. */
const categoriesOf = async (
  slugs: readonly string[],
  known: CurrentField | undefined,
): Promise<FieldRecord['categories']> => {
  const ids = await categoryIds(slugs);
  const kept = new Map(known?.categories.map((category) => [category.slug, category]));
  return slugs.map((slug) => {
    const id = ids.get(slug);
    const category = id === undefined ? kept.get(slug) : { id, slug };
    if (!category) throw invalidField(['categories'], `"${slug}" is not a category`);
    return category;
  });
};

const mustBeValid = (field: FieldRecord): void => {
  const issues = definitionIssues(field);
  if (issues.length > 0) throw invalidFields(issues);
};

const current = async (field: FieldRecord): Promise<CurrentField> => mustExist((await withSlugs([field]))[0]);

const insertField = async (id: string, { key, ...body }: FieldBody): Promise<FieldRecord> => {
  const stored = await storedFields();
  const field: FieldRecord = {
    ...body,
    id,
    key,
    help: body.help ?? null,
    unit: body.unit ?? null,
    options: body.options ?? [],
    categories: await categoriesOf(body.categories ?? [], undefined),
    edit: body.access === 'staff' ? 'staff' : body.edit,
    sort_order: body.sort_order ?? Math.max(0, ...stored.records.map(({ sort_order }) => sort_order)) + SORT_STEP,
    deleted_at: null,
    version: 1,
  };
  mustBeValid(field);
  mustBeFree(key, stored);
  mustFit(stored.records, field);
  await putField(field, stored.version);
  return field;
};

/**
 * @param seed as in `createOnce`.
 * @throws 400 for attributes that the type may not have, 409 for a taken key and for too many fields.
 */
export const createField = (body: FieldBody, seed?: string): Promise<{ data: AdminField; version: number }> =>
  retryOnConflict(async () => {
    const find = async (id: string) => findField(await storedFields(), id);
    const field = await createOnce('fld', seed, { find, create: (id) => insertField(id, body) });
    return { data: adminView(await current(field)), version: field.version };
  });

const orKept = <T>(given: T | undefined, kept: T): T => (given === undefined ? kept : given);

const updated = async (previous: CurrentField, body: FieldUpdate): Promise<FieldRecord> => {
  for (const name of ['key', 'type'] as const) {
    if (body[name] !== undefined && body[name] !== previous[name]) throw invalidField([name], 'cannot be changed');
  }
  if (body.deleted_at && body.deleted_at !== previous.deleted_at) {
    throw invalidField(['deleted_at'], 'can only be null; DELETE deletes a field');
  }
  const { slugs: _, within: _within, ...kept } = previous;
  const access = orKept(body.access, kept.access);
  return {
    ...kept,
    label: orKept(body.label, kept.label),
    help: orKept(body.help, kept.help),
    unit: orKept(body.unit, kept.unit),
    options: orKept(body.options, kept.options),
    categories: body.categories ? await categoriesOf(body.categories, previous) : kept.categories,
    required: orKept(body.required, kept.required),
    access,
    edit: access === 'staff' ? 'staff' : orKept(body.edit, kept.edit),
    filterable: orKept(body.filterable, kept.filterable),
    sortable: orKept(body.sortable, kept.sortable),
    searchable: orKept(body.searchable, kept.searchable),
    in_card: orKept(body.in_card, kept.in_card),
    min: orKept(body.min, kept.min),
    max: orKept(body.max, kept.max),
    sort_order: orKept(body.sort_order, kept.sort_order),
    deleted_at: orKept(body.deleted_at, kept.deleted_at),
    version: kept.version + 1,
  };
};

/** What a change of a definition writes. */
interface FieldChange {
  readonly previous: CurrentField;
  readonly next: FieldRecord;
  readonly storedVersion: number;
}

const changeOf = async (
  reference: string,
  ifMatch: readonly string[] | undefined,
  decide: (previous: CurrentField) => FieldRecord | Promise<FieldRecord>,
): Promise<FieldChange> => {
  const stored = await storedFields();
  const previous = await current(mustExist(findField(stored, reference)));
  mustMatch(ifMatch, previous.version);
  const next = await decide(previous);
  mustBeValid(next);
  mustFit(stored.records, next);
  return { previous, next, storedVersion: stored.version };
};

/** @returns the number of listings, without deleted ones, that would show less. */
const preview = async ({ previous, next }: FieldChange) => {
  const after = await current(next);
  const directory = await catalog('now');
  const listings = function* () {
    for (const { project } of directory.all()) if (project.deleted_at === null) yield project;
  };
  const count = previous.deleted_at === null ? countDiminished(previous, after, listings()) : 0;
  return { dry_run: true as const, listings: count };
};

const updating = (reference: string, body: FieldUpdate, ifMatch: readonly string[] | undefined) =>
  changeOf(reference, ifMatch, (previous) => updated(previous, body));

/** @throws 404, 400, 409 for too many fields, 412. */
export const updateField = (
  reference: string,
  body: FieldUpdate,
  ifMatch: readonly string[] | undefined,
): Promise<{ data: AdminField; version: number }> =>
  retryOnConflict(async () => {
    const { next, storedVersion } = await updating(reference, body, ifMatch);
    await putField(next, storedVersion);
    return { data: adminView(await current(next)), version: next.version };
  });

/** What `updateField` would do. */
export const previewUpdate = async (reference: string, body: FieldUpdate, ifMatch: readonly string[] | undefined) =>
  await preview(await updating(reference, body, ifMatch));

const removing = (reference: string, ifMatch: readonly string[] | undefined) =>
  changeOf(reference, ifMatch, ({ slugs: _slugs, within: _within, ...previous }) => {
    if (previous.deleted_at !== null) throw notFound();
    return { ...previous, deleted_at: now(), version: previous.version + 1 };
  });

/** Hides a field with its values. @throws 404, also when it is deleted already; 412. */
export const removeField = (
  reference: string,
  ifMatch: readonly string[] | undefined,
): Promise<{ id: string; deleted_at: string }> =>
  retryOnConflict(async () => {
    const { next, storedVersion } = await removing(reference, ifMatch);
    await putField(next, storedVersion);
    return { id: next.id, deleted_at: next.deleted_at ?? '' };
  });

/** What `removeField` would do. */
export const previewRemoval = async (reference: string, ifMatch: readonly string[] | undefined) =>
  await preview(await removing(reference, ifMatch));

/** Purges the definitions that were deleted at least 30 days ago. @returns how many. */
export const purgeDeletedFields = async (): Promise<number> => {
  const before = new Date(Date.parse(now()) - RETENTION_MS).toISOString();
  const isDue = ({ deleted_at }: FieldRecord): boolean => deleted_at !== null && deleted_at <= before;
  let purged = 0;
  for (const { id } of (await storedFields()).records.filter(isDue)) {
    purged += await retryOnConflict(async () => {
      // It may have been restored since.
      const { records, version } = await storedFields();
      if (!records.some((field) => field.id === id && isDue(field))) return 0;
      await purgeField(id, version);
      return 1;
    });
  }
  return purged;
};
