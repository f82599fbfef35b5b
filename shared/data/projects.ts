import { canonicalUrl } from '#domain/projects/canonical-url.ts';
import { noCounts, type ProjectCounts, type ProjectRecord } from '#domain/projects/project.ts';
import type { Message } from '#events/catalogue.ts';
import { now, secondsFromNow } from '#platform/clock.ts';
import { settings } from '#platform/settings.ts';
import { conflict, invalidField } from '#shared/errors.ts';
import { absent, either, every, exists, is, isBelow } from './conditions.ts';
import { categorySlugKey, countsKey, linkKey, projectKey, projectTombstoneKey, slugKey, urlKey } from './keys.ts';
import { inOutbox } from './outbox.ts';
import { countsItem, countsOf, projectItem, projectOf } from './project-items.ts';
import { findItem, findItems } from './read.ts';
import { userIsThere } from './user-records.ts';
import { transact, type Write } from './write.ts';

/** A project and its counters as they are stored at this moment. */
export interface StoredProject {
  readonly project: ProjectRecord;
  readonly counts: ProjectCounts;
}

const PROJECT_ID = /^prj_[0-9A-HJKMNP-TV-Z]{26}$/;

/** The id behind an id, a slug or an earlier slug. An id is answered as it is, whether it exists or not. */
export const findProjectId = async (reference: string): Promise<string | undefined> => {
  if (PROJECT_ID.test(reference)) return reference;
  const claim = await findItem(slugKey(reference));
  return claim?.project_id as string | undefined;
};

const storedProject = async (id: string): Promise<StoredProject | undefined> => {
  const [card, counts] = await findItems([projectKey(id), countsKey(id)]);
  return card && { project: projectOf(card), counts: countsOf(counts) };
};

/** Those of some ids under which there is no project: gone for good, or never there. */
export const missingProjects = async (ids: readonly string[]): Promise<readonly string[]> => {
  const cards = await findItems(ids.map(projectKey));
  return ids.filter((_, position) => cards[position] === undefined);
};

// Where slugs have led. It is a guess: only the card that has the slug itself proves it, for no other can have it then.
const guesses = new Map<string, string>();
const GUESSES_MAX = 10_000;

const guess = (slug: string, id: string): void => {
  if (guesses.size >= GUESSES_MAX) guesses.clear();
  guesses.set(slug, id);
};

/** A project by id, slug or earlier slug; the newest state. */
export const findProject = async (reference: string): Promise<StoredProject | undefined> => {
  const guessed = guesses.get(reference);
  const likely = guessed === undefined ? undefined : await storedProject(guessed);
  if (likely?.project.slug === reference) return likely;
  const id = await findProjectId(reference);
  if (id === undefined) return undefined;
  const found = await storedProject(id);
  if (found?.project.slug === reference) guess(reference, id);
  return found;
};

/** The projects that some slugs belong to, now or from earlier; free slugs are left out. */
export const slugHolders = async (slugs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const claims = await findItems(slugs.map(slugKey));
  return new Map(
    slugs.flatMap((slug, position) => {
      const claim = claims[position];
      return claim ? [[slug, String(claim.project_id)]] : [];
    }),
  );
};

/** Which of some slugs belong to a project, now or from earlier. */
export const takenSlugs = async (slugs: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await slugHolders(slugs)).keys());

/** Somebody else changed the project since it was read. */
export class ProjectChanged extends Error {
  override readonly name = 'ProjectChanged';
}

const slugTaken = (slug: string) => () => conflict('SLUG_TAKEN', `The slug "${slug}" belongs to another project.`);

const claimSlug = (slug: string, projectId: string): Write => ({
  put: { ...slugKey(slug), type: 'slug', project_id: projectId },
  when: either(absent, is('project_id', projectId)),
  orElse: slugTaken(slug),
});

// The claim of a canonical address is what makes DUPLICATE_URLS=reject hold for two submissions at once.
const claimUrl = (project: ProjectRecord): Write[] =>
  settings().duplicateUrls === 'reject' && project.deleted_at === null
    ? [
        {
          put: { ...urlKey(canonicalUrl(project.url)), type: 'url', project_id: project.id },
          when: either(absent, is('project_id', project.id)),
          orElse: () => conflict('DUPLICATE_URL', 'Another project has this address.'),
        },
      ]
    : [];

const releaseUrl = async (project: ProjectRecord): Promise<Write[]> => {
  if (settings().duplicateUrls !== 'reject') return [];
  const key = urlKey(canonicalUrl(project.url));
  const claim = await findItem(key);
  return claim?.project_id === project.id ? [{ remove: key, when: is('project_id', project.id) }] : [];
};

/** A category that is removed while somebody takes it must not come to be carried by his project. */
export const categoryExists = (slug: string): Write => ({
  check: categorySlugKey(slug),
  when: every(exists, is('state', 'held')),
  orElse: () => invalidField(['categories'], `"${slug}" is not a category`),
});

/** Whether a project with this address would be refused because another has claimed it. */
export const isAddressRefused = async (url: string): Promise<boolean> =>
  settings().duplicateUrls === 'reject' && (await findItem(urlKey(canonicalUrl(url)))) !== undefined;

/** The writes of a new project: its card, its slug and, where duplicates are refused, its address. */
export const insertionOf = (project: ProjectRecord): Write[] => [
  { put: projectItem(project), inFeed: true, when: absent },
  claimSlug(project.slug, project.id),
  ...claimUrl(project),
];

/**
 * The writes of a project that may have been removed for good under this id, beside those of its insertion. Whoever follows
 * the feed tells its new counters from those that it had by their version, as he does with its card.
 */
export const returnOf = (project: ProjectRecord): Write[] => [
  // Clocks differ: the removal may bear a later time, and would then be taken for the newer news.
  { check: projectTombstoneKey(project.id), when: isBelow('version', project.version) },
  { put: countsItem(project.id, { ...noCounts, version: project.version }), inFeed: true },
];

/** The writes of a project's next state, with what it takes and gives up. */
export const replacementOf = async (previous: ProjectRecord, next: ProjectRecord): Promise<Write[]> => {
  const addressMoves = previous.url !== next.url || (previous.deleted_at === null) !== (next.deleted_at === null);
  const staysAt = next.deleted_at === null && canonicalUrl(previous.url) === canonicalUrl(next.url);
  return [
    {
      put: projectItem(next),
      inFeed: true,
      when: every(exists, is('version', previous.version)),
      orElse: () => new ProjectChanged(next.id),
    },
    ...(previous.slug === next.slug ? [] : [claimSlug(next.slug, next.id)]),
    ...(addressMoves ? claimUrl(next) : []),
    ...(addressMoves && !staysAt ? await releaseUrl(previous) : []),
  ];
};

/**
 * Stores a new project with its slug and its events.
 * @throws 409 when the slug or, where that is refused, the address belongs to another; 400 when a category is gone.
 */
export const insertProject = async (project: ProjectRecord, messages: readonly Message[]): Promise<void> => {
  await transact([
    ...insertionOf(project),
    ...project.categories.map(categoryExists),
    // Who is being forgotten must not come to own what the erasure has not seen.
    userIsThere(project.owner_id),
    ...messages.map(inOutbox),
  ]);
};

/**
 * Stores the next state of a project with what follows from it.
 * @throws {ProjectChanged} when it is not as `previous` any more; 409 and 400 as `insertProject`.
 */
export const replaceProject = async (
  previous: ProjectRecord,
  next: ProjectRecord,
  messages: readonly Message[],
  conditions: readonly Write[] = [],
): Promise<void> => {
  await transact([
    ...(await replacementOf(previous, next)),
    ...conditions,
    ...next.categories.filter((slug) => !previous.categories.includes(slug)).map(categoryExists),
    ...messages.map(inOutbox),
  ]);
};

/** How long the feed remembers that a project is gone for good, in seconds; longer than any reader goes without looking. */
const TOMBSTONE_SECONDS = 86_400;

// What is left of a transaction for the claims of a project's slugs; more than these are taken away in the background.
const SLUGS_AT_ONCE = 80;

/**
 * Removes a project for good, with its slugs; its votes, ratings and comments are left to the task in `messages`. Only
 * while it is as it was read: a slug that it has taken since would stay claimed for ever.
 * @throws {ProjectChanged} when it is gone or not as `project` any more.
 */
export const removeProject = async (project: ProjectRecord, messages: readonly Message[]): Promise<void> => {
  const slugs = [project.slug, ...project.earlier_slugs].slice(0, SLUGS_AT_ONCE);
  await transact([
    {
      remove: projectKey(project.id),
      when: every(exists, is('version', project.version)),
      orElse: () => new ProjectChanged(project.id),
    },
    { remove: countsKey(project.id) },
    { remove: linkKey(project.id) },
    {
      put: {
        ...projectTombstoneKey(project.id),
        type: 'projectRemoved',
        project_id: project.id,
        // Newer than every state that the project has been in, and older than any in which an import may bring it back.
        version: Math.max(Date.parse(now()), project.version),
        ttl: secondsFromNow(TOMBSTONE_SECONDS),
      },
      inFeed: true,
    },
    ...slugs.map((slug): Write => ({ remove: slugKey(slug) })),
    ...(await releaseUrl(project)),
    ...messages.map(inOutbox),
  ]);
};
