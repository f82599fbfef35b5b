import type { CatalogEntry, ReadCatalog } from '#catalog/types.ts';
import type { Collection, CollectionBody, CollectionUpdate, CollectionWithProjects } from '#contract/collections.ts';
import { catalog } from '#data/catalog.ts';
import {
  allCollections,
  type CollectionRecord,
  deleteCollection,
  EARLIER_SLUGS_MAX,
  findCollection,
  insertCollection,
  replaceCollection,
  takenCollectionSlugs,
  unknownProjectIds,
} from '#data/collections.ts';
import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import { type Paging, pageOf } from '#data/paging.ts';
import { mustMatch } from '#model/entity-tag.ts';
import { hasAdminRights, isOpen } from '#model/policy.ts';
import { shortenedToFit } from '#model/response-size.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { createOnce } from '#services/create-once.ts';
import { projectView } from '#services/projects/read.ts';
import { shortListing } from '#services/projects/short-listings.ts';
import { freeSlug } from '#services/projects/slug.ts';
import { slugFrom } from '#services/projects/slug-from-name.ts';
import { invalidFields, mustExist, notFound } from '#shared/errors.ts';

/** The distance between the `sort_order` of consecutive collections. */
const SORT_STEP = 10;

/** The live projects of a collection in its order. */
const liveProjectsOf = (
  { project_ids }: Pick<CollectionRecord, 'project_ids'>,
  projects: ReadCatalog,
): CatalogEntry[] =>
  project_ids.flatMap((id) => {
    const entry = projects.find(id);
    return entry && isOpen(entry.project) ? [entry] : [];
  });

const mayRead = ({ is_public }: CollectionRecord, caller: UserRecord | undefined): boolean =>
  is_public || hasAdminRights(caller);

const viewOf = (record: CollectionRecord, projects: ReadCatalog, caller: UserRecord | undefined): Collection => ({
  id: record.id,
  slug: record.slug,
  title: record.title,
  description: record.description,
  is_public: record.is_public,
  sort_order: record.sort_order,
  project_count: liveProjectsOf(record, projects).length,
  ...(hasAdminRights(caller) && { project_ids: [...record.project_ids] }),
  created_at: record.created_at,
  updated_at: record.updated_at,
});

/** A collection by id, slug or earlier slug. @throws 404, also when it is not public and the caller no administrator. */
export const getCollection = async (caller: UserRecord | undefined, reference: string): Promise<CollectionRecord> => {
  const record = await findCollection(reference);
  if (!record || !mayRead(record, caller)) throw notFound();
  return record;
};

/** The collections that a caller sees, by `sort_order`. */
export const listCollections = async (caller: UserRecord | undefined, query: Paging) => {
  const [all, projects] = await Promise.all([allCollections(), catalog()]);
  const visible = all.filter((record) => mayRead(record, caller));
  const { data, meta } = pageOf(visible, query);
  return { data: data.map((record) => viewOf(record, projects, caller)), meta };
};

/** A collection with its live projects in order. @throws 404. */
export const readCollection = async (
  caller: UserRecord | undefined,
  reference: string,
): Promise<{ data: CollectionWithProjects; version: number }> => {
  const [record, directory] = await Promise.all([getCollection(caller, reference), catalog()]);
  const all = liveProjectsOf(record, directory).map((entry) => projectView(entry, caller));
  const projects = shortenedToFit(all, shortListing);
  return { data: { ...viewOf(record, directory, caller), projects }, version: record.version };
};

/** A stored collection as its administrators see it. */
export const staffCollection = async (record: CollectionRecord, caller: UserRecord) => ({
  data: viewOf(record, await catalog(), caller),
  version: record.version,
});

/** @throws 400 naming the position of each id that no project has. @param accepted ids that need not exist. */
const mustExistAll = async (ids: readonly string[], accepted: readonly string[] = []): Promise<void> => {
  const unknown = await unknownProjectIds(ids.filter((id) => !accepted.includes(id)));
  if (unknown.size === 0) return;
  throw invalidFields(
    ids.flatMap((id, position) =>
      unknown.has(id) ? [{ path: ['project_ids', position], message: `"${id}" is not the id of a project` }] : [],
    ),
  );
};

const nextSortOrder = async (): Promise<number> =>
  Math.max(0, ...(await allCollections()).map(({ sort_order }) => sort_order)) + SORT_STEP;

/** @throws 400 for unknown projects; 409 when its slug is taken or there are too many. */
const storeCollection = async (id: string, body: CollectionBody): Promise<CollectionRecord> => {
  await mustExistAll(body.project_ids ?? []);
  const at = now();
  const record: CollectionRecord = {
    id,
    slug:
      body.slug ?? (await freeSlug(slugFrom(body.title, id.slice('col_'.length).toLowerCase()), takenCollectionSlugs)),
    title: body.title,
    description: body.description ?? null,
    project_ids: body.project_ids ?? [],
    is_public: body.is_public ?? false,
    sort_order: body.sort_order ?? (await nextSortOrder()),
    earlier_slugs: [],
    created_at: at,
    updated_at: at,
    version: 1,
  };
  await insertCollection(record);
  return record;
};

/**
 * Creates a collection.
 * @param seed as in `createOnce`.
 * @throws 400 for unknown projects; 409 when its slug is taken or there are too many.
 */
export const createCollection = (body: CollectionBody, seed?: string): Promise<CollectionRecord> =>
  createOnce('col', seed, { find: findCollection, create: (id) => storeCollection(id, body) });

const earlierSlugs = (previous: CollectionRecord, slug: string): readonly string[] =>
  slug === previous.slug
    ? previous.earlier_slugs
    : [...previous.earlier_slugs.filter((one) => one !== slug), previous.slug].slice(-EARLIER_SLUGS_MAX);

/** Changes the given fields of a collection. @throws 404, 409, 412, and 400 for projects that are added and unknown. */
export const updateCollection = (
  admin: UserRecord,
  reference: string,
  body: CollectionUpdate,
  ifMatch: readonly string[] | undefined,
): Promise<CollectionRecord> =>
  retryOnConflict(async () => {
    const previous = await getCollection(admin, reference);
    mustMatch(ifMatch, previous.version);
    // A project that has been purged since does not keep the rest from being changed.
    if (body.project_ids) await mustExistAll(body.project_ids, previous.project_ids);
    const slug = body.slug ?? previous.slug;
    const next: CollectionRecord = {
      ...previous,
      slug,
      title: body.title ?? previous.title,
      description: body.description === undefined ? previous.description : body.description,
      project_ids: body.project_ids ?? previous.project_ids,
      is_public: body.is_public ?? previous.is_public,
      sort_order: body.sort_order ?? previous.sort_order,
      earlier_slugs: earlierSlugs(previous, slug),
      updated_at: now(),
      version: previous.version + 1,
    };
    await replaceCollection(previous, next);
    return next;
  });

/** Deletes a collection. @returns its id. @throws 404. */
export const removeCollection = (reference: string): Promise<string> =>
  retryOnConflict(async () => {
    const record = mustExist(await findCollection(reference));
    if (!(await deleteCollection(record))) throw new ConflictError('The collection was changed concurrently.');
    return record.id;
  });
