import { parsed } from '#contract/fields.ts';
import {
  ContentChange,
  type ImportField,
  type ImportMapping,
  importFields,
  ProjectContent,
} from '#contract/projects.ts';
import { currentFields } from '#data/custom-fields.ts';
import { type Fields, type ValueEdit, valueEdit, type WithValues } from '#model/field.ts';
import { type ProjectRecord, unsetFields } from '#model/project.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { isReservedSlug } from '#services/projects/slug.ts';
import { mergeEdit } from '#services/projects/update.ts';
import { requiredFields } from '#shared/csv/mapping.ts';
import { AppError, type FieldErrors } from '#shared/errors.ts';
import type { ImportBatch, PendingProject, ReportBuilder } from './batch.ts';
import { type CategoryLookup, type ProjectLookup, type SlugLookup, slugOfName } from './lookups.ts';
import { type Problem, problemOf, type Row, type RowValues } from './validate.ts';

/** The directory as the import sees it, including its own planned changes. */
export interface ImportState {
  readonly mapping: ImportMapping;
  /** The owner of new projects. */
  readonly actorId: string;
  /** Of new projects that do not name theirs. */
  readonly newStatus: ProjectRecord['status'];
  /** Whether a project may not have the URL of another. */
  readonly rejectsDuplicateUrls: boolean;
  readonly projects: ProjectLookup;
  readonly slugs: SlugLookup;
  readonly categories: CategoryLookup;
  readonly batch: ImportBatch;
}

type RowPlan =
  | { readonly action: 'create'; readonly next: ProjectRecord }
  /** `next` is `previous` itself when nothing differs. */
  | { readonly action: 'update'; readonly previous: ProjectRecord; readonly next: ProjectRecord }
  /** With a reason when the row is not skipped as `on_conflict` says. */
  | { readonly action: 'skip'; readonly match: ProjectRecord; readonly reason?: Problem }
  | { readonly action: 'fail'; readonly problems: readonly Problem[] };

const fail = (...problems: readonly Problem[]): RowPlan => ({ action: 'fail', problems });

const missingFields = ({ mentions }: Row): Problem[] =>
  requiredFields.filter((field) => !mentions.has(field)).map((field) => ({ field, message: 'is required' }));

/** The field by which a row finds its project: a row without a slug finds it by its URL. */
const matchFieldOf = ({ mapping }: ImportState, { mentions }: Row): ImportMapping['match_by'] =>
  mapping.match_by === 'slug' && !mentions.has('slug') ? 'url' : mapping.match_by;

/**
 * Where rows are matched by URL, all with the same one are about the oldest project that has it. A row without a slug is alone
 * about its project: branches have one site. Of several the one with its name is the first, then the oldest; deleted ones
 * are the last.
 */
const findByUrl = async (
  { mapping, projects, slugs, batch }: ImportState,
  { number, values: { name } }: Row,
  url: string,
): Promise<ProjectRecord | undefined> => {
  const found = await projects.withUrl(url);
  if (mapping.match_by === 'url') return found[0];
  const free = found.filter(({ id, slug }) => batch.isFree(id, number) && !slugs.isInFile(slug));
  return free.find((project) => project.name === name) ?? free[0];
};

const findMatch = async (state: ImportState, row: Row): Promise<ProjectRecord | undefined> => {
  const { projects, slugs } = state;
  const { url } = row;
  const { id, slug } = row.values;
  switch (matchFieldOf(state, row)) {
    case 'id':
      return id === undefined ? undefined : await projects.find(id);
    case 'url':
      return url === undefined ? undefined : await findByUrl(state, row, url);
    case 'slug': {
      const holder = slug === undefined ? undefined : await slugs.holderOf(slug);
      return holder === undefined ? undefined : await projects.find(holder);
    }
  }
};

const resolveCategories = ({ categories }: ImportState, { categories: entries = [] }: RowValues) => {
  const slugs = new Set<string>();
  const problems: Problem[] = [];
  for (const entry of entries) {
    const resolved = categories.resolve(entry);
    if ('slug' in resolved) slugs.add(resolved.slug);
    else problems.push({ field: 'categories', message: resolved.problem });
  }
  return { slugs: [...slugs], problems };
};

const urlProblems = async (
  { rejectsDuplicateUrls, projects }: ImportState,
  url: string,
  ownId?: string,
): Promise<Problem[]> =>
  rejectsDuplicateUrls &&
  (await projects.withUrl(url)).some(({ id, deleted_at }) => deleted_at === null && id !== ownId)
    ? [{ field: 'url', message: 'belongs to another project' }]
    : [];

const slugProblems = async ({ slugs }: ImportState, slug: string, ownId?: string): Promise<Problem[]> => {
  if (isReservedSlug(slug)) return [{ field: 'slug', message: `"${slug}" is a reserved slug` }];
  const holder = await slugs.holderOf(slug);
  return holder !== undefined && holder !== ownId ? [{ field: 'slug', message: 'belongs to another project' }] : [];
};

type Complete = RowValues & Readonly<Record<(typeof requiredFields)[number], string>>;

/** The optional fields with a value; a blank text is none. */
const storedValues = (values: RowValues): Partial<ProjectRecord> =>
  Object.fromEntries(
    Object.entries(values).filter(([field, value]) => field in unsetFields && value !== '' && value != null),
  );

const newRecord = (
  values: Complete,
  given: Pick<ProjectRecord, 'field_values'> & {
    id: string;
    slug: string;
    categories: readonly string[];
    ownerId: string;
    status: ProjectRecord['status'];
    at: string;
  },
): ProjectRecord => {
  const createdAt = values.created_at ?? given.at;
  const status = values.status ?? given.status;
  return {
    ...unsetFields,
    ...storedValues(values),
    plan: values.plan ?? 'standard',
    name: values.name,
    url: values.url,
    description: values.description,
    pricing_type: values.pricing_type ?? 'free',
    id: given.id,
    slug: given.slug,
    categories: given.categories,
    field_values: given.field_values,
    status,
    owner_id: values.owner_id ?? given.ownerId,
    created_at: createdAt,
    updated_at: values.updated_at ?? createdAt,
    published_at: values.published_at ?? (status === 'live' ? createdAt : null),
    // A purged project may have had this id: replicas ignore states that are not newer than its deletion.
    version: values.id === undefined ? 1 : Date.parse(given.at),
  };
};

/** Staff imports: fields that only staff edits are written too, and required ones do not bind. */
const importedValues = (fields: Fields, row: Row): ValueEdit => valueEdit(fields, row.fields, 'staff', 'nothing');

/** The values of further fields that a row gives to a listing. */
const valuesFor = (
  fields: Fields,
  row: Row,
  listing: WithValues,
): { readonly field_values: string | null; readonly problems: Problem[] } => {
  try {
    return { field_values: importedValues(fields, row)(listing), problems: [] };
  } catch (error) {
    if (error instanceof AppError) return { field_values: null, problems: problemsOfError(error) };
    throw error;
  }
};

const planNew = async (state: ImportState, fields: Fields, row: Row): Promise<RowPlan> => {
  const { actorId, newStatus, projects } = state;
  const { values } = row;
  const { slugs: categories, problems } = resolveCategories(state, values);
  problems.push(...missingFields(row));
  if (values.id !== undefined && (await projects.find(values.id))) {
    problems.push({ field: 'id', message: 'belongs to another project' });
  }
  if (values.slug !== undefined) problems.push(...(await slugProblems(state, values.slug)));
  if (values.url !== undefined && values.deleted_at == null) problems.push(...(await urlProblems(state, values.url)));
  const given = valuesFor(fields, row, { field_values: null, categories });
  problems.push(...given.problems);
  if (problems.length > 0) return fail(...problems);

  const complete = values as Complete;
  const id = values.id ?? newId('prj');
  const slug = values.slug ?? state.slugs.freeVariant(slugOfName(complete.name));
  const { field_values } = given;
  const more = { id, slug, categories, field_values, ownerId: actorId, status: newStatus, at: now() };
  const next = newRecord(complete, more);
  const { issues } = parsed(ProjectContent, next);
  return issues ? fail(...issues.map(problemOf)) : { action: 'create', next };
};

const isField = (name: string): name is ImportField => (importFields as readonly string[]).includes(name);

const messagesIn = (errors: FieldErrors | string[]): string[] =>
  Array.isArray(errors) ? errors : Object.values(errors).flatMap(messagesIn);

/** Of single values, or of all together. */
const problemsOfValues = (errors: FieldErrors | string[]): Problem[] =>
  Object.entries(errors).flatMap(([key, of]: [string, FieldErrors | string[]]) =>
    messagesIn(of).map((text) => ({ field: key === '_errors' ? 'fields' : (`fields.${key}` as const), message: text })),
  );

const problemsOfError = (error: AppError): Problem[] => {
  const { details, message } = error.extra as { details?: FieldErrors; message?: string };
  if (!details) return [{ field: error.code === 'SLUG_TAKEN' ? 'slug' : null, message: message ?? error.message }];
  return Object.entries(details).flatMap(([name, errors]) =>
    name === 'fields'
      ? problemsOfValues(errors)
      : messagesIn(errors).map((text) => ({ field: isField(name) ? name : null, message: text })),
  );
};

/** Times that only an import sets. */
const importedTimes = ['created_at', 'published_at', 'paid_at'] as const;

const updated = (previous: ProjectRecord, values: RowValues, at: string, further: ValueEdit): ProjectRecord => {
  const { id: _id, owner_id: _owner, updated_at: _updated, ...edit } = values;
  const { next } = mergeEdit(previous, edit, at, ContentChange, further);
  // A public listing has a time of its publication.
  const isKept = (field: (typeof importedTimes)[number]): boolean =>
    values[field] === undefined || (field === 'published_at' && values[field] === null && next.status === 'live');
  const times = Object.fromEntries(importedTimes.flatMap((field) => (isKept(field) ? [] : [[field, values[field]]])));
  const isSame = importedTimes.every((field) => !(field in times) || times[field] === next[field]);
  return isSame ? next : { ...next, ...times, updated_at: at };
};

const planUpdate = async (state: ImportState, fields: Fields, previous: ProjectRecord, row: Row): Promise<RowPlan> => {
  const { slug, ...rest } = row.values;
  const { slugs: categories, problems } = resolveCategories(state, rest);
  // A slug that rows are matched by is not a change; it may be an earlier slug, which must not return.
  const newSlug = state.mapping.match_by === 'slug' ? undefined : slug;
  if (newSlug !== undefined && newSlug !== previous.slug) {
    problems.push(...(await slugProblems(state, newSlug, previous.id)));
  }
  if (problems.length > 0) return fail(...problems);
  const values: RowValues = {
    ...rest,
    ...(newSlug !== undefined && { slug: newSlug }),
    ...(rest.categories && { categories }),
  };
  let next: ProjectRecord;
  try {
    next = updated(previous, values, now(), importedValues(fields, row));
  } catch (error) {
    if (error instanceof AppError) return fail(...problemsOfError(error));
    throw error;
  }
  const claimsUrl = next.deleted_at === null && (next.url !== previous.url || previous.deleted_at !== null);
  const conflicts = claimsUrl ? await urlProblems(state, next.url, next.id) : [];
  return conflicts.length > 0 ? fail(...conflicts) : { action: 'update', previous, next };
};

const planRow = async (state: ImportState, fields: Fields, row: Row): Promise<RowPlan> => {
  const { on_conflict: onConflict } = state.mapping;
  const field = matchFieldOf(state, row);
  if (row.problems.length > 0) {
    // A row that matches nothing would be a new project: report its missing fields as well.
    const isDecided = !row.mentions.has(field) || (field === 'url' && row.url !== undefined);
    const isNew = row.mentions.size > 0 && isDecided && !(await findMatch(state, row));
    return fail(...row.problems, ...(isNew ? missingFields(row) : []));
  }
  const match = await findMatch(state, row);
  if (!match) return await planNew(state, fields, row);
  if (match.deleted_at !== null) {
    const message = `belongs to ${match.id}, which is deleted; restore it or delete it permanently first`;
    return { action: 'skip', match, reason: { field, message } };
  }
  if (onConflict === 'skip') return { action: 'skip', match };
  if (onConflict === 'update') return await planUpdate(state, fields, match, row);
  return fail({ field, message: `belongs to ${match.id}, which already exists` });
};

/** Reads what the rows refer to, together. */
const load = async (state: ImportState, rows: readonly Row[]): Promise<void> => {
  const { slugs, projects, batch, rejectsDuplicateUrls } = state;
  const given = rows.flatMap(({ values }) => values.slug ?? []);
  await slugs.load(given);
  const holders = (await Promise.all(given.map((slug) => slugs.holderOf(slug)))).filter((id) => id !== undefined);
  const others = await slugs.loadFree(
    rows.flatMap(({ values: { slug, name } }) => (slug === undefined && name !== undefined ? [slugOfName(name)] : [])),
  );
  // After the slugs: a project that has one of them by now is found by its URL, and one that takes it later causes a conflict. So
  // concurrent imports of one file find each other's projects.
  const isCompared = (row: Row): boolean => rejectsDuplicateUrls || matchFieldOf(state, row) === 'url';
  const urls = rows.flatMap((row) => (row.url !== undefined && isCompared(row) ? [row.url] : []));
  if (urls.length > 0) {
    await projects.loadUrls(urls, [...holders, ...others]);
    await batch.loadRows(rows);
  }
  await projects.load([...holders, ...rows.flatMap(({ values }) => values.id ?? [])]);
};

/**
 * Decides for each row whether it creates, updates or skips a project, and reports rows that need no write.
 * @returns the projects to write; several rows about one project result in one write.
 */
export const planRows = async (
  state: ImportState,
  rows: readonly Row[],
  report: ReportBuilder,
): Promise<PendingProject[]> => {
  const { projects, slugs, batch } = state;
  const fields = await currentFields();
  await load(state, rows);
  const pendingById = new Map<string, PendingProject>();

  const addPending = (row: Row, { action, ...plan }: Extract<RowPlan, { action: 'create' | 'update' }>): void => {
    const pending = pendingById.get(plan.next.id);
    const previous = 'previous' in plan ? plan.previous : undefined;
    const version = pending?.step.next.version ?? (previous ? previous.version + 1 : plan.next.version);
    const next = { ...plan.next, version };
    projects.set(next);
    slugs.assign(next.slug, next.id);
    if (pending) {
      pending.step = { previous: pending.step.previous, next };
      pending.rows.push({ row, action });
    } else {
      pendingById.set(next.id, { step: { previous, next }, rows: [{ row, action }] });
    }
  };

  for (const row of rows) {
    const plan = await planRow(state, fields, row);
    if (plan.action !== 'fail') batch.noteRow((plan.action === 'skip' ? plan.match : plan.next).id, row.number);
    if (plan.action === 'fail') report.failed(row, plan.problems);
    else if (plan.action === 'skip') report.skipped(row, plan.match, plan.reason);
    else if (plan.action === 'update' && plan.next === plan.previous) report.unchanged(row, plan.next);
    else addPending(row, plan);
  }
  return [...pendingById.values()];
};
