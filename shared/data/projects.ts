import { LRUCache } from 'lru-cache';
import { distinctTags } from '#contract/tags.ts';
import type { Message } from '#events/catalogue.ts';
import { DAY_SECONDS } from '#model/days.ts';
import { storedIds, withoutValuesOf } from '#model/field.ts';
import { isOpen, isScheduled, withoutCancelledApproval } from '#model/policy.ts';
import { noCounts, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import {
  appliedRevision,
  type ChangeOrigin,
  droppedDecision,
  pendingRevision,
  withoutDroppedEdit,
} from '#model/revision.ts';
import { canonicalUrl } from '#model/url.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { environment } from '#platform/environment.ts';
import { newId } from '#platform/ids.ts';
import { conflict } from '#shared/errors.ts';
import { ConflictError } from './conflict.ts';
import { countsItem, countsOf, removedCounts, setReactionsOpen } from './counts.ts';
import { purgedFields } from './custom-fields.ts';
import { inOutbox } from './event-log.ts';
import {
  categorySlugKey,
  countsKey,
  dueUpTo,
  inOwnerCollection,
  inPublications,
  inUrl,
  type Key,
  linkKey,
  ownerPartition,
  ownerPrefix,
  projectKey,
  projectTombstoneKey,
  publicationKey,
  publicationsPartition,
  slugKey,
  urlKey,
  urlPartition,
} from './keys.ts';
import { collectionPages, findItem, findItems, findItemsBy, findRecords, type Item, orNull } from './read.ts';
import { decisionWrite, revisionWrite } from './revisions.ts';
import { userNotErased } from './users.ts';
import { absent, either, every, exists, is, isBelow, transact, type Write } from './write.ts';

const isUnsetValue = (value: unknown): boolean => value === null || (Array.isArray(value) && value.length === 0);

/** The item of a project. Fields that are null or empty have no attribute: the item and its copies in two indexes are smaller. */
export const projectItem = (project: ProjectRecord): Item & Key => ({
  ...projectKey(project.id),
  ...inOwnerCollection(project.owner_id, 'PROJECT', `${project.created_at}#${project.id}`),
  type: 'project',
  ...Object.fromEntries(Object.entries(project).filter(([, value]) => !isUnsetValue(value))),
});

const text = (item: Item, name: keyof ProjectRecord): string => {
  const value = item[name];
  if (typeof value !== 'string') throw new Error(`The item ${String(item.pk)} has no ${name}.`);
  return value;
};

const list = (value: unknown): readonly string[] => (Array.isArray(value) ? (value as string[]) : []);

/** DynamoDB does not keep the order of members, on which entity tags depend. */
const pendingOf = (value: unknown): ProjectRecord['pending_revision'] => {
  if (!value) return null;
  const { id, at, changes, merges, base_version } = value as NonNullable<ProjectRecord['pending_revision']>;
  const ordered = changes.map(({ field, before, after }) => ({ field, before, after }));
  return { id, at, changes: ordered, merges, base_version };
};

/**
 * The record in an item. Empty attributes are not stored; they are read as null or an empty list. It is a literal, not a loop over
 * the schema, because the feed is read through it and a loop takes three times as long; the compiler reports missing fields.
 * @throws when a required attribute is missing.
 */
export const projectOf = (item: Item): ProjectRecord => ({
  id: text(item, 'id'),
  slug: text(item, 'slug'),
  earlier_slugs: list(item.earlier_slugs),
  plan: item.plan === 'premium' ? 'premium' : 'standard',
  name: text(item, 'name'),
  url: text(item, 'url'),
  description: text(item, 'description'),
  long_description: orNull(item.long_description),
  categories: list(item.categories),
  tags: distinctTags(list(item.tags)),
  logo_url: orNull(item.logo_url),
  screenshots: list(item.screenshots),
  video_url: orNull(item.video_url),
  pricing_type: text(item, 'pricing_type') as ProjectRecord['pricing_type'],
  status: text(item, 'status') as ProjectRecord['status'],
  owner_id: text(item, 'owner_id'),
  latitude: orNull(item.latitude),
  longitude: orNull(item.longitude),
  address_city: orNull(item.address_city),
  address_country: orNull(item.address_country),
  created_at: text(item, 'created_at'),
  updated_at: text(item, 'updated_at'),
  published_at: orNull(item.published_at),
  deleted_at: orNull(item.deleted_at),
  rejection_reason: orNull(item.rejection_reason),
  paid_at: orNull(item.paid_at),
  publish_at: orNull(item.publish_at),
  approved_at: orNull(item.approved_at),
  claimed_at: orNull(item.claimed_at),
  pending_revision: pendingOf(item.pending_revision),
  pending_writes: orNull(item.pending_writes),
  rule_id: orNull(item.rule_id),
  rule_name: orNull(item.rule_name),
  rule_action: orNull(item.rule_action),
  field_values: orNull(item.field_values),
  version: Number(item.version),
});

export interface StoredProject {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
}

const PROJECT_ID = /^prj_[0-9A-HJKMNP-TV-Z]{26}$/;

/** Resolves an id, a slug or an earlier slug to an id. An id is returned without checking that it exists. */
export const findProjectId = async (reference: string): Promise<string | undefined> => {
  if (PROJECT_ID.test(reference)) return reference;
  const claim = await findItem(slugKey(reference));
  return claim?.project_id as string | undefined;
};

const storedProject = async (id: string): Promise<StoredProject | undefined> => {
  const [item, counts] = await findItems([projectKey(id), countsKey(id)]);
  return item && { project: projectOf(item), counts: countsOf(counts) };
};

/** Those ids that no project has. Soft-deleted projects exist. */
export const missingProjects = async (ids: readonly string[]): Promise<readonly string[]> => {
  const items = await findItemsBy(ids, projectKey);
  return ids.filter((id) => !items.has(id));
};

/** The given projects, without those that do not exist. */
export const existingProjects = (ids: readonly string[]) => findRecords(ids.map(projectKey), projectOf);

/** Maps references, ids or slugs, to the ids of their projects; only live projects are included. */
export const liveProjectIds = async (references: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const ids = await Promise.all(references.map(findProjectId));
  const found = references.flatMap((reference, index) => {
    const id = ids[index];
    return id === undefined ? [] : [{ reference, id }];
  });
  const items = await findItems(found.map(({ id }) => projectKey(id)));
  return new Map(
    found.flatMap(({ reference, id }, index) => {
      const item = items[index];
      return item && isOpen(projectOf(item)) ? [[reference, id]] : [];
    }),
  );
};

/** The number of a user's projects of every status, without deleted ones; eventually consistent. */
export const countProjectsOf = async (userId: string): Promise<number> => {
  const owned = {
    partition: ownerPartition(userId),
    index: 'collection',
    prefix: ownerPrefix.projects,
    only: ['deleted_at', 'collection_sk'],
  } as const;
  let total = 0;
  for await (const items of collectionPages(owned)) {
    total += items.filter((item) => orNull(item.deleted_at) === null).length;
  }
  return total;
};

// Caches slug to id, which saves a read. An entry is only a hint: it holds if the project still has the slug.
const idOfSlug = new LRUCache<string, string>({ max: 10_000 });

/** Reads a project by id, slug or earlier slug; consistent. */
export const findProject = async (reference: string): Promise<StoredProject | undefined> => {
  const cachedId = idOfSlug.get(reference);
  const cached = cachedId === undefined ? undefined : await storedProject(cachedId);
  if (cached?.project.slug === reference) return cached;
  const id = await findProjectId(reference);
  if (id === undefined) return undefined;
  const found = await storedProject(id);
  if (found?.project.slug === reference) idOfSlug.set(reference, id);
  return found;
};

/** Ids of projects by current or earlier slug; free slugs are omitted. */
export const slugHolders = async (slugs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const claims = await findItemsBy(slugs, slugKey);
  return new Map([...claims].map(([slug, { project_id }]) => [slug, String(project_id)]));
};

/** Those slugs that are a project's current or earlier slug. */
export const takenSlugs = async (slugs: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await slugHolders(slugs)).keys());

/** The project was changed or removed since it was read. */
class ProjectChanged extends ConflictError {
  override readonly name = 'ProjectChanged';
}

const slugTaken = (slug: string) => () => conflict('SLUG_TAKEN', `The slug "${slug}" belongs to another project.`);

/** The index entry of a project by its URL, which is in the claim of its slug. */
const urlEntryOf = ({ id, url, created_at }: ProjectRecord) => inUrl(canonicalUrl(url), created_at, id);

/** The claim of a project on its slug. Those of its earlier slugs keep the index entry that they have. */
export const slugItem = (project: ProjectRecord): Item & Key => ({
  ...slugKey(project.slug),
  ...urlEntryOf(project),
  type: 'slug',
  project_id: project.id,
});

const claimSlug = (project: ProjectRecord): Write => ({
  put: slugItem(project),
  when: either(absent, is('project_id', project.id)),
  orElse: slugTaken(project.slug),
});

export const duplicateUrl = () => conflict('DUPLICATE_URL', 'Another project has this URL.');

// The claim of a canonical URL enforces DUPLICATE_URLS=reject for concurrent submissions.
const claimUrl = (project: ProjectRecord): Write[] =>
  environment().duplicateUrls === 'reject' && project.deleted_at === null
    ? [
        {
          put: { ...urlKey(canonicalUrl(project.url)), type: 'url', project_id: project.id },
          when: either(absent, is('project_id', project.id)),
          orElse: duplicateUrl,
        },
      ]
    : [];

const releaseUrl = async (project: ProjectRecord): Promise<Write[]> => {
  if (environment().duplicateUrls !== 'reject') return [];
  const key = urlKey(canonicalUrl(project.url));
  const claim = await findItem(key);
  return claim?.project_id === project.id ? [{ delete: key, when: is('project_id', project.id) }] : [];
};

/** A category was deleted, merged or renamed since it was looked up. */
export class CategoryGone extends ConflictError {
  override readonly name = 'CategoryGone';
}

/** A check that fails the transaction with `CategoryGone` if the category is deleted concurrently. */
export const categoryExists = (slug: string): Write => ({
  check: categorySlugKey(slug),
  when: every(exists, is('state', 'held')),
  orElse: () => new CategoryGone(`"${slug}" is not a category any more.`),
});

/** The claims whose projects are read at once. */
const CLAIMS_PER_PAGE = 25;

/**
 * Ids of the first `max` other projects with the same canonical URL that are not deleted, oldest first. The index may lag
 * behind by milliseconds, and has entries of projects that were deleted or changed their URL since: the projects themselves
 * decide.
 */
export const otherProjectsWithUrl = async (
  url: string,
  ownId: string | undefined,
  max: number,
): Promise<readonly string[]> => {
  const canonical = canonicalUrl(url);
  const range = {
    partition: urlPartition(canonical),
    index: 'collection',
    only: ['project_id'],
    pageSize: CLAIMS_PER_PAGE,
  } as const;
  const found = new Set<string>();
  for await (const claims of collectionPages(range)) {
    const ids = new Set(claims.map(({ project_id }) => String(project_id)));
    ids.delete(ownId ?? '');
    for (const project of await existingProjects([...ids])) {
      if (project.deleted_at === null && canonicalUrl(project.url) === canonical) found.add(project.id);
    }
    if (found.size >= max) break;
  }
  return [...found].slice(0, max);
};

/**
 * Whether DUPLICATE_URLS=reject rejects this URL, because another project has it. A claim is read consistently; the index
 * has the projects from a time when duplicates were allowed, which have no claim.
 */
export const isDuplicateUrl = async (url: string, ownId?: string): Promise<boolean> => {
  if (environment().duplicateUrls !== 'reject') return false;
  const claim = await findItem(urlKey(canonicalUrl(url)));
  if (claim && claim.project_id !== ownId) return true;
  return (await otherProjectsWithUrl(url, ownId, 1)).length > 0;
};

/** Every write of a project comes with this one, so that no change is without its revision. */
const writeRevision = (
  previous: ProjectRecord | undefined,
  next: ProjectRecord,
  origin: ChangeOrigin,
): readonly Write[] => {
  // The revision of a decided edit is also that of the change.
  if (origin.decision?.applied.length) return [];
  const revision = appliedRevision(previous, next, origin, { id: newId('rev'), at: now() });
  return revision ? [revisionWrite(revision)] : [];
};

/** The write of the waiting edit, when it is new, merged or decided. */
const writePendingEdit = (previous: ProjectRecord, next: ProjectRecord, origin: ChangeOrigin): readonly Write[] => {
  const [before, after] = [previous.pending_revision, next.pending_revision];
  if (after) {
    const isMerged = after.id !== before?.id || after.merges !== before.merges;
    return isMerged ? [revisionWrite(pendingRevision(next, after, origin))] : [];
  }
  return before ? [decisionWrite(next.id, before, origin.decision ?? droppedDecision(before))] : [];
};

/** When a scheduled project becomes public. Without a time, a restored revision has taken it away: at once. */
const publicationTime = (project: ProjectRecord): string | undefined =>
  isScheduled(project) ? (project.publish_at ?? project.approved_at ?? undefined) : undefined;

/** The entry of a scheduled project in the collection that the job of publications reads. */
const writePublication = (previous: ProjectRecord | undefined, next: ProjectRecord | undefined): readonly Write[] => {
  const [before, after] = [previous && publicationTime(previous), next && publicationTime(next)];
  if (before === after) return [];
  if (next && after !== undefined) {
    const place = { ...publicationKey(next.id), ...inPublications(after, next.id) };
    return [{ put: { ...place, type: 'publication', project_id: next.id } }];
  }
  return previous ? [{ delete: publicationKey(previous.id) }] : [];
};

/** The ids of the scheduled projects that are due at a time, the earliest first; the index may lag behind by moments. */
export async function* duePublications(at: string): AsyncGenerator<readonly string[]> {
  const due = { index: 'collection', partition: publicationsPartition, before: dueUpTo(at) } as const;
  for await (const items of collectionPages(due)) yield items.map(({ project_id }) => String(project_id));
}

/**
 * The writes of a new project: its record, its revision, its slug and, if duplicates are rejected, the claim
 * of its URL.
 */
export const projectInsertion = (project: ProjectRecord, origin: ChangeOrigin): Write[] => [
  { put: projectItem(project), inFeed: true, when: absent },
  ...writeRevision(undefined, project, origin),
  ...writePublication(undefined, project),
  claimSlug(project),
  ...claimUrl(project),
];

/**
 * Further writes of an insertion under an id that a purged project may have had. Readers of the feed distinguish the new
 * record and counters from the old ones by their version.
 */
export const projectReinsertion = (project: ProjectRecord): Write[] => [
  // With clock skew the tombstone may have a higher version than the record, and readers would drop the record.
  { check: projectTombstoneKey(project.id), when: isBelow('version', project.version) },
  { put: countsItem(project.id, { ...noCounts, version: project.version }, isOpen(project)), inFeed: true },
];

/** The writes of a project's next state, with its revision and the slug and URL that it claims and releases. */
export const projectReplacement = async (
  stored: ProjectRecord,
  changed: ProjectRecord,
  origin: ChangeOrigin,
): Promise<Write[]> => {
  // Values go with their definition: at the next write, and without a trace in its revision.
  const purged = await purgedFields(storedIds(changed.field_values));
  const [previous, next] = [stored, withoutCancelledApproval(withoutDroppedEdit(changed))].map((project) => ({
    ...project,
    field_values: withoutValuesOf(project.field_values, purged),
  })) as [ProjectRecord, ProjectRecord];
  const urlChanges = previous.url !== next.url || (previous.deleted_at === null) !== (next.deleted_at === null);
  const isSameUrl = previous.url === next.url || canonicalUrl(previous.url) === canonicalUrl(next.url);
  return [
    {
      put: projectItem(next),
      inFeed: true,
      when: every(exists, is('version', previous.version)),
      orElse: () => new ProjectChanged(`The project ${next.id} was changed concurrently.`),
    },
    ...writeRevision(previous, next, origin),
    ...(isOpen(previous) === isOpen(next) ? [] : [setReactionsOpen(next.id, isOpen(next))]),
    ...writePendingEdit(previous, next, origin),
    ...writePublication(previous, next),
    ...(previous.slug === next.slug && isSameUrl ? [] : [claimSlug(next)]),
    ...(urlChanges ? claimUrl(next) : []),
    ...(urlChanges && !(isSameUrl && next.deleted_at === null) ? await releaseUrl(previous) : []),
  ];
};

/**
 * Inserts a project with its slug and events.
 * @param others further writes of the transaction.
 * @throws {ConditionFailed} when the id exists; {CategoryGone}; 409 for a taken slug or URL, 401 for an erased owner.
 */
export const insertProject = async (
  project: ProjectRecord,
  origin: ChangeOrigin,
  messages: readonly Message[],
  others: readonly Write[] = [],
): Promise<void> => {
  await transact([
    ...projectInsertion(project, origin),
    ...project.categories.map(categoryExists),
    // An erasure that runs concurrently would miss the project.
    userNotErased(project.owner_id),
    ...others,
    ...messages.map(inOutbox),
  ]);
};

/**
 * Replaces a project and writes its events.
 * @param conditions further writes or checks of the transaction.
 * @throws {ProjectChanged} when the version is not that of `previous`; {CategoryGone}; 409 as `insertProject`.
 */
export const replaceProject = async (
  previous: ProjectRecord,
  next: ProjectRecord,
  origin: ChangeOrigin,
  messages: readonly Message[],
  conditions: readonly Write[] = [],
): Promise<void> => {
  await transact([
    ...(await projectReplacement(previous, next, origin)),
    ...conditions,
    ...next.categories.filter((slug) => !previous.categories.includes(slug)).map(categoryExists),
    ...messages.map(inOutbox),
  ]);
};

/** How long the feed keeps the tombstone of a project, in seconds; longer than any reader pauses. */
const TOMBSTONE_SECONDS = DAY_SECONDS;

/** How many slugs the transaction of a removal releases; the task releases the others. */
const RELEASED_SLUGS_MAX = 80;

/**
 * Deletes a project permanently, with its slugs; the task in `messages` deletes its votes, ratings and comments. It requires
 * the version that was read, because a slug that was claimed since would never be released.
 * @throws {ProjectChanged} when the project was changed or removed.
 */
export const deleteProject = async (project: ProjectRecord, messages: readonly Message[]): Promise<void> => {
  const slugs = [project.slug, ...project.earlier_slugs].slice(0, RELEASED_SLUGS_MAX);
  await transact([
    {
      delete: projectKey(project.id),
      when: every(exists, is('version', project.version)),
      orElse: () => new ProjectChanged(`The project ${project.id} was changed concurrently.`),
    },
    removedCounts(project.id, secondsFromNow(TOMBSTONE_SECONDS)),
    { delete: linkKey(project.id) },
    ...writePublication(project, undefined),
    {
      put: {
        ...projectTombstoneKey(project.id),
        type: 'projectRemoved',
        project_id: project.id,
        // Higher than every version of the project, and lower than the first version of an import under the same id.
        version: Math.max(Date.parse(now()), project.version),
        ttl: secondsFromNow(TOMBSTONE_SECONDS),
      },
      inFeed: true,
    },
    ...slugs.map((slug): Write => ({ delete: slugKey(slug) })),
    ...(await releaseUrl(project)),
    ...messages.map(inOutbox),
  ]);
};
