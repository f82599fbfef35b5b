import { LRUCache } from 'lru-cache';
import type { CatalogEntry, ReadCatalog } from '#catalog/types.ts';
import { splitAtCommas } from '#contract/comma-list.ts';
import type { ListFilters } from '#contract/follows.ts';
import { catalog } from '#data/catalog.ts';
import { deleteCheckpoint, findCheckpoint, saveCheckpoint } from '#data/checkpoints.ts';
import { AlreadyRunning } from '#data/deduplication.ts';
import { beginDigest, endDigest, followerOf, followerPages } from '#data/follows.ts';
import { findUser } from '#data/users.ts';
import { dayOf, groupOf } from '#model/days.ts';
import { type BegunDigest, canonical, type DigestState, type FollowRecord, isDue, newSince } from '#model/follow.ts';
import { isScheduled } from '#model/policy.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { addressOf } from '#services/feeds/addresses.ts';
import { isMailed, mailOnce } from '#services/mail/mailer.ts';
import { publicListings } from '#services/projects/list.ts';
import { type FollowedListings, followDigestEmail } from '#shared/mail/templates.ts';
import { validFilters } from './manage.ts';

/** How many listings of a follow an email has. */
const LISTINGS_MAX = 20;
/** How many listings are read at a time. */
const PAGE_SIZE = 40;
const CONCURRENCY = 5;

/** The new listings of a follow. */
interface Section {
  readonly follow: FollowRecord;
  readonly entries: readonly CatalogEntry[];
  readonly hasMore: boolean;
}

/** How many lists are kept, and for how long: a mail has no listing that was taken down long before. */
const KEPT_LISTS = 200;
const KEPT_MS = 60_000;

type ListPage = Awaited<ReturnType<typeof publicListings>>['found'];

const listCache = <Value extends object>() => new LRUCache<string, Promise<Value>>({ max: KEPT_LISTS, ttl: KEPT_MS });

const readOnce = <Value extends object>(
  cache: ReturnType<typeof listCache<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> => {
  const known = cache.get(key);
  if (known) return known;
  const reading = read();
  cache.set(key, reading);
  // The failure itself is the reader's; the next one tries again.
  reading.catch(() => cache.delete(key));
  return reading;
};

/** What a run reads of the catalog: many users follow the same, and what is new is read before a digest and for its mail. */
class Lists {
  readonly #filters = listCache<{ readonly valid: ListFilters | undefined }>();
  readonly #pages = listCache<ListPage>();

  /** The filters of a follow; undefined while they are invalid. */
  async filtersOf(follow: FollowRecord): Promise<ListFilters | undefined> {
    const read = async () => ({ valid: await validFilters(follow) });
    return (await readOnce(this.#filters, JSON.stringify(follow.query), read)).valid;
  }

  /** A page of the newest listings. */
  page(filters: ListFilters, cursor: string | undefined): Promise<ListPage> {
    const query = { ...filters, sort: 'newest', page: 1, limit: PAGE_SIZE, cursor } as const;
    const read = async () => (await publicListings(query)).found;
    return readOnce(this.#pages, `${cursor ?? ''} ${canonical(filters)}`, read);
  }
}

interface Period {
  /** Excluded, ISO 8601. */
  readonly since: string;
  /** Included, ISO 8601. */
  readonly until: string;
}

/** The newest listings of a period that match, without those that are in `shown`, which it extends. */
const newListings = async (lists: Lists, filters: ListFilters, { since, until }: Period, shown: Set<string>) => {
  const entries: CatalogEntry[] = [];
  let cursor: string | undefined;
  do {
    const found = await lists.page(filters, cursor);
    for (const entry of found.entries) {
      const { id, published_at } = entry.project;
      if (published_at === null || published_at <= since) return { entries, hasMore: false };
      if (published_at > until || shown.has(id)) continue;
      if (entries.length === LISTINGS_MAX) return { entries, hasMore: true };
      entries.push(entry);
      shown.add(id);
    }
    cursor = found.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return { entries, hasMore: false };
};

/** The new listings of the follows that are due, each listing once. */
const sectionsOf = async (
  lists: Lists,
  follows: readonly FollowRecord[],
  state: DigestState,
  { day, until, weekly }: { readonly day: string; readonly until: string; readonly weekly: boolean },
): Promise<Section[]> => {
  const sections: Section[] = [];
  const shown = new Set<string>();
  for (const follow of follows.filter((one) => isDue(one, weekly))) {
    const filters = await lists.filtersOf(follow);
    if (!filters) continue;
    const found = await newListings(lists, filters, { since: newSince(follow, state, day), until }, shown);
    if (found.entries.length > 0) sections.push({ follow, ...found });
  }
  return sections;
};

/** What a follow is about, in words. */
const titleOf = ({ name, query }: FollowRecord, projects: ReadCatalog): string => {
  if (name !== null) return name;
  const categories = new Map(projects.categories().map(({ category }) => [category.slug, category.name]));
  const { q, category = '', sphere = '', tag = '', match: _match, radius_km: _radius, ...others } = query;
  const lists = Object.entries({ sphere: splitAtCommas(sphere), tag: splitAtCommas(tag) });
  return [
    ...(q === undefined ? [] : [`“${q}”`]),
    ...splitAtCommas(category).map((slug) => categories.get(slug) ?? slug),
    ...lists.flatMap(([filter, values]) => (values.length > 0 ? [`${filter}: ${values.join(', ')}`] : [])),
    ...Object.entries(others).map(([filter, value]) => `${filter}: ${value}`),
  ].join(', ');
};

const listingsOf = ({ follow, entries, hasMore }: Section, projects: ReadCatalog): FollowedListings => ({
  title: titleOf(follow, projects),
  projects: entries.map(({ project: { name, slug, description } }) => ({ name, slug, description })),
  allUrl: hasMore ? addressOf(`/projects?${new URLSearchParams(follow.query).toString()}`) : null,
});

interface Follower {
  readonly user: UserRecord;
  readonly follows: readonly FollowRecord[];
}

/** Sends a digest that was begun, unless an earlier attempt did. @returns whether it was sent now. */
const deliver = async (
  lists: Lists,
  { user, follows }: Follower,
  state: DigestState,
  begun: BegunDigest,
): Promise<boolean> => {
  const { day, through: until, weekly } = begun;
  const sections = await sectionsOf(lists, follows, state, { day, until, weekly });
  let isSent = false;
  if (sections.length > 0) {
    const projects = await catalog();
    const followed = sections.map((section) => listingsOf(section, projects));
    isSent = await mailOnce(
      { user, notification: 'follow_digest' },
      'mail.followDigest',
      `${user.id} ${begun.occasion}`,
      (name, branding) => followDigestEmail(followed, name, branding),
    );
  }
  await endDigest(user.id, state, begun);
  return isSent;
};

/** The next digest; undefined without new listings. */
const nextDigest = async (
  lists: Lists,
  { follows }: Follower,
  state: DigestState,
  { day, until }: { readonly day: string; readonly until: string },
): Promise<BegunDigest | undefined> => {
  const weekly = groupOf(day, 'week') === day;
  const sections = await sectionsOf(lists, follows, state, { day, until, weekly });
  const published = sections.flatMap(({ entries }) => entries.map(({ project }) => String(project.published_at)));
  const through = published.toSorted().at(-1);
  return through === undefined ? undefined : { occasion: day, day, through, weekly };
};

/**
 * Mails a user the digest of today. What it contains is stored before it is sent: a run that is repeated sends the same one, and
 * the time up to which listings were sent moves with it.
 * @returns whether an email was sent.
 * @throws when the email was not accepted; the next run sends it.
 */
const mailFollower = async (lists: Lists, userId: string, until: string): Promise<boolean> => {
  const [user, { follows, state }] = await Promise.all([findUser(userId), followerOf(userId)]);
  if (!user || user.is_banned || !isMailed({ user, notification: 'follow_digest' })) return false;
  const day = dayOf(now());
  if (state.mailed_on === day) return false;
  const follower = { user, follows };
  // One that an earlier day has begun is today's digest.
  const begun = state.begun ? { ...state.begun, day } : await nextDigest(lists, follower, state, { day, until });
  if (!begun) return false;
  const stored = state.begun?.day === day ? state : await beginDigest(userId, state, begun);
  return stored !== undefined && (await deliver(lists, follower, stored, begun));
};

/**
 * Up to when listings are complete: those that are due and not public yet get an earlier time of publication than others that
 * are public already.
 */
const completeUntil = (projects: ReadCatalog, at: string): string => {
  let until = at;
  for (const { project } of projects.all()) {
    const { publish_at } = project;
    if (publish_at === null || publish_at > until || !isScheduled(project)) continue;
    until = new Date(Date.parse(publish_at) - 1).toISOString();
  }
  return until;
};

/**
 * Mails all users what is new among the listings that they follow. Each user gets at most one email per day (UTC), also with
 * repeated and concurrent runs. A run that exceeds `budgetMs` is continued by the next one of the day.
 */
export const mailFollowDigests = async (budgetMs: number) => {
  const until = performance.now() + budgetMs;
  const at = now();
  const complete = completeUntil(await catalog('now'), at);
  const checkpoint = `follow-digest ${dayOf(at)}`;
  const after = await findCheckpoint(checkpoint);
  const lists = new Lists();
  let [processed, sent, failed] = [0, 0, 0];
  const mailTo = async (userId: string): Promise<void> => {
    try {
      if (await mailFollower(lists, userId, complete)) sent += 1;
    } catch (error) {
      // A concurrent run of this job is mailing the same user.
      if (error instanceof AlreadyRunning) return;
      failed += 1;
      log.warn('digest of follows failed', { error });
    }
  };
  for await (const userIds of followerPages(after)) {
    const { results, isComplete } = await mapConcurrently(userIds, mailTo, { until, concurrency: CONCURRENCY });
    processed += results.length;
    const last = userIds[results.length - 1];
    if (last !== undefined) await saveCheckpoint(checkpoint, last);
    if (!isComplete) return { processed, sent, failed, unfinished: true };
  }
  if (processed > 0 || after !== undefined) await deleteCheckpoint(checkpoint);
  return { processed, sent, failed, unfinished: false };
};
