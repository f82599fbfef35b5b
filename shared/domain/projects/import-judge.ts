import { type ImportField, type ImportMapping, importFields, ProjectContent } from '#contract/projects.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { AppError, type FieldErrors } from '#shared/errors.ts';
import type { CategoryBook } from './import-categories.ts';
import type { ImportPorts } from './import-ports.ts';
import { type Problem, problemOf, type Row, type RowValues } from './import-row.ts';
import type { SlugBook } from './import-slugs.ts';
import type { ImportView } from './import-view.ts';
import type { ProjectRecord } from './project.ts';
import { isReservedSlug } from './slug.ts';
import { slugFrom } from './slug-from-name.ts';
import { edited } from './update.ts';

/** What shall become of a row. */
export type Verdict =
  | { readonly kind: 'create'; readonly next: ProjectRecord }
  /** `next` is `previous` itself when nothing differs. */
  | { readonly kind: 'update'; readonly previous: ProjectRecord; readonly next: ProjectRecord }
  | { readonly kind: 'skip' }
  | { readonly kind: 'fail'; readonly problems: readonly Problem[] };

/** What a verdict is based on. */
export interface JudgeContext {
  readonly ports: Pick<ImportPorts, 'now' | 'newId' | 'refusesDuplicateUrls'>;
  readonly mapping: ImportMapping;
  readonly admin: UserRecord;
  readonly view: ImportView;
  readonly slugs: SlugBook;
  readonly categories: CategoryBook;
}

const fail = (...problems: readonly Problem[]): Verdict => ({ kind: 'fail', problems });

/** What a new project cannot be without and no default can be thought of. */
const required = ['name', 'url', 'description'] as const;

const missing = ({ mentions }: Row): Problem[] =>
  required.filter((field) => !mentions.has(field)).map((field) => ({ field, message: 'is required' }));

const findMatch = async ({ mapping, view, slugs }: JudgeContext, values: RowValues) => {
  switch (mapping.match_by) {
    case 'id':
      return values.id === undefined ? undefined : view.known(values.id);
    case 'url':
      return values.url === undefined ? undefined : view.sameUrl(values.url)[0];
    case 'slug': {
      const holder = values.slug === undefined ? undefined : await slugs.holder(values.slug);
      return holder === undefined ? undefined : await view.find(holder);
    }
  }
};

const resolveCategories = ({ categories }: JudgeContext, { categories: entries = [] }: RowValues) => {
  const slugs = new Set<string>();
  const problems: Problem[] = [];
  for (const entry of entries) {
    const resolved = categories.resolve(entry);
    if ('slug' in resolved) slugs.add(resolved.slug);
    else problems.push({ field: 'categories', message: resolved.unknown });
  }
  return { slugs: [...slugs], problems };
};

const addressProblems = ({ ports, view }: JudgeContext, url: string, ownId: string | undefined): Problem[] =>
  ports.refusesDuplicateUrls() && view.sameUrl(url).some(({ id }) => id !== ownId)
    ? [{ field: 'url', message: 'is that of another project' }]
    : [];

const slugProblems = async ({ slugs }: JudgeContext, slug: string, ownId: string | undefined): Promise<Problem[]> => {
  if (isReservedSlug(slug)) return [{ field: 'slug', message: `"${slug}" is a word of the interface itself` }];
  const holder = await slugs.holder(slug);
  return holder !== undefined && holder !== ownId ? [{ field: 'slug', message: 'belongs to another project' }] : [];
};

type Complete = RowValues & Readonly<Record<(typeof required)[number], string>>;

const newRecord = (
  values: Complete,
  given: { id: string; slug: string; categories: readonly string[]; ownerId: string; at: string },
): ProjectRecord => {
  const createdAt = values.created_at ?? given.at;
  const status = values.status ?? 'live';
  return {
    id: given.id,
    slug: given.slug,
    earlier_slugs: [],
    plan: values.plan ?? 'standard',
    name: values.name,
    url: values.url,
    description: values.description,
    long_description: values.long_description || null,
    categories: given.categories,
    tags: values.tags ?? [],
    logo_url: values.logo_url ?? null,
    screenshots: values.screenshots ?? [],
    video_url: values.video_url ?? null,
    pricing_type: values.pricing_type ?? 'free',
    status,
    owner_id: values.owner_id ?? given.ownerId,
    latitude: values.latitude ?? null,
    longitude: values.longitude ?? null,
    address_city: values.address_city || null,
    address_country: values.address_country || null,
    created_at: createdAt,
    updated_at: values.updated_at ?? createdAt,
    published_at: values.published_at ?? (status === 'live' ? createdAt : null),
    deleted_at: values.deleted_at ?? null,
    rejection_reason: values.rejection_reason || null,
    paid_at: values.paid_at ?? null,
    // An id that comes back after it was removed has to be newer than all that anybody remembers of it.
    version: values.id === undefined ? 1 : Date.parse(given.at),
  };
};

const judgeNew = async (context: JudgeContext, row: Row): Promise<Verdict> => {
  const { ports, admin, view, slugs } = context;
  const { values } = row;
  const { slugs: categories, problems } = resolveCategories(context, values);
  problems.push(...missing(row));
  if (values.id !== undefined && view.known(values.id)) {
    problems.push({ field: 'id', message: 'belongs to another project' });
  }
  if (values.slug !== undefined) problems.push(...(await slugProblems(context, values.slug, undefined)));
  if (values.url !== undefined && values.deleted_at == null) {
    problems.push(...addressProblems(context, values.url, undefined));
  }
  if (problems.length > 0) return fail(...problems);

  const complete = values as Complete;
  const id = values.id ?? ports.newId('prj');
  const slug = values.slug ?? (await slugs.free(slugFrom(complete.name, id.slice('prj_'.length).toLowerCase())));
  const next = newRecord(complete, { id, slug, categories, ownerId: admin.id, at: ports.now() });
  const whole = ProjectContent.safeParse(next);
  return whole.success ? { kind: 'create', next } : fail(...whole.error.issues.map(problemOf));
};

const isField = (name: string): name is ImportField => (importFields as readonly string[]).includes(name);

const messagesIn = (errors: FieldErrors | string[]): string[] =>
  Array.isArray(errors) ? errors : Object.values(errors).flatMap(messagesIn);

const problemsOf = (error: AppError): Problem[] => {
  const { details, message } = error.extra as { details?: FieldErrors; message?: string };
  if (!details) return [{ field: error.code === 'SLUG_TAKEN' ? 'slug' : null, message: message ?? error.message }];
  return Object.entries(details).flatMap(([name, errors]) =>
    messagesIn(errors).map((text) => ({ field: isField(name) ? name : null, message: text })),
  );
};

// Times that are nobody's to edit but part of what a file says.
const history = ['created_at', 'published_at', 'paid_at'] as const;

const updated = (previous: ProjectRecord, values: RowValues, at: string): ProjectRecord => {
  const { id: _id, owner_id: _owner, updated_at: _updated, ...edit } = values;
  const { next } = edited(previous, edit, at, ProjectContent);
  const times = Object.fromEntries(
    history.flatMap((field) => (values[field] === undefined ? [] : [[field, values[field]]])),
  );
  const isSame = history.every((field) => !(field in times) || times[field] === next[field]);
  return isSame ? next : { ...next, ...times, updated_at: at };
};

const judgeKnown = async (context: JudgeContext, previous: ProjectRecord, row: Row): Promise<Verdict> => {
  const { slug, ...rest } = row.values;
  const { slugs: categories, problems } = resolveCategories(context, rest);
  // Where rows are matched by it, a slug says which project is meant; it may be an earlier one and must not come back.
  const newSlug = context.mapping.match_by === 'slug' ? undefined : slug;
  if (newSlug !== undefined && newSlug !== previous.slug) {
    problems.push(...(await slugProblems(context, newSlug, previous.id)));
  }
  if (problems.length > 0) return fail(...problems);
  const values: RowValues = {
    ...rest,
    ...(newSlug !== undefined && { slug: newSlug }),
    ...(rest.categories && { categories }),
  };
  let next: ProjectRecord;
  try {
    next = updated(previous, values, context.ports.now());
  } catch (error) {
    if (error instanceof AppError) return fail(...problemsOf(error));
    throw error;
  }
  const comesTo = next.deleted_at === null && (next.url !== previous.url || previous.deleted_at !== null);
  const refused = comesTo ? addressProblems(context, next.url, next.id) : [];
  return refused.length > 0 ? fail(...refused) : { kind: 'update', previous, next };
};

/** Says what shall become of a row in the directory as the context sees it. Nothing is changed by it. */
export const judge = async (context: JudgeContext, row: Row): Promise<Verdict> => {
  const { on_conflict: onConflict, match_by: matchBy } = context.mapping;
  if (row.problems.length > 0) {
    // A row that can match nothing would be a new project; all that is wrong with it is said at once.
    const isNew = row.mentions.size > 0 && !row.mentions.has(matchBy);
    return fail(...row.problems, ...(isNew ? missing(row) : []));
  }
  const match = await findMatch(context, row.values);
  if (!match) return await judgeNew(context, row);
  if (onConflict === 'skip') return { kind: 'skip' };
  if (onConflict === 'update') return await judgeKnown(context, match, row);
  return fail({ field: matchBy, message: `is that of ${match.id}, which exists already` });
};
