import type { ChangeCounts } from '#model/batch.ts';
import type { ProjectCounts, Recounted } from '#model/project.ts';
import { notFound } from '#shared/errors.ts';
import { countsKey, type Key, projectKey, projectPartition, projectPrefix } from './keys.ts';
import { collectionPages, countCollection, findItem, type Item } from './read.ts';
import { absent, type Condition, either, every, exists, is, keyOfWrite, lacks, transact, type Write } from './write.ts';

/** In the counters of a project since it stopped being open. */
const REACTIONS_CLOSED = { closed: true } as const;

export const countsItem = (projectId: string, counts: ProjectCounts, isOpen = true): Item & Key => ({
  ...countsKey(projectId),
  type: 'counts',
  project_id: projectId,
  ...counts,
  ...(isOpen ? {} : REACTIONS_CLOSED),
});

/** The counters in an item; zeros for a missing item. */
export const countsOf = (item: Item | undefined): ProjectCounts => ({
  upvote_count: Number(item?.upvote_count ?? 0),
  ratings_sum: Number(item?.ratings_sum ?? 0),
  ratings_count: Number(item?.ratings_count ?? 0),
  comments_count: Number(item?.comments_count ?? 0),
  views_count: Number(item?.views_count ?? 0),
  reports_open: Number(item?.reports_open ?? 0),
  version: Number(item?.version ?? 0),
});

/** The counters of a project; consistent. */
export const readCounts = async (projectId: string): Promise<ProjectCounts> =>
  countsOf(await findItem(countsKey(projectId)));

export const openProject = every(exists, is('status', 'live'), lacks('deleted_at'));

/** A check that fails the transaction with 404 unless the project is live and not deleted. */
export const projectIsOpen = (projectId: string): Write => ({
  check: projectKey(projectId),
  when: openProject,
  orElse: notFound,
});

/** Counters of which only an undo wants to know whether they are zero; they are stored beside those of the project. */
type TouchCounter = 'reports_count' | 'promotions_count';

type Changes = Partial<Record<Exclude<keyof ProjectCounts, 'version'> | TouchCounter, number>>;

const changeCounters = [
  'upvote_count',
  'ratings_count',
  'comments_count',
  'reports_count',
  'promotions_count',
] as const;

/** The counters that show whether a project was touched; consistent. */
export const findChangeCounts = async (projectId: string): Promise<ChangeCounts> => {
  const item = await findItem(countsKey(projectId));
  return Object.fromEntries(changeCounters.map((name) => [name, Number(item?.[name] ?? 0)])) as unknown as ChangeCounts;
};

const untouched: Condition = either(absent, every(...changeCounters.map((name) => either(lacks(name), is(name, 0)))));

/** The writes of a project on condition that it was not touched; they fail with `ConditionFailed` once it was. */
export const onlyIfUnchanged = (projectId: string, writes: readonly Write[]): readonly Write[] => {
  const { pk, sk } = countsKey(projectId);
  // A transaction must not address an item twice: what closes a project writes to its counters already.
  const index = writes.findIndex((write) => {
    const key = keyOfWrite(write);
    return key.pk === pk && key.sk === sk;
  });
  const counters = writes[index];
  if (!counters || !('update' in counters)) return [...writes, { check: countsKey(projectId), when: untouched }];
  return writes.with(index, { ...counters, when: untouched });
};

/** Adds to the counters of a project, in the transaction of the reaction, so that they stay exact. */
export const changeCounts = (projectId: string, changes: Changes) =>
  ({
    update: countsKey(projectId),
    inFeed: 'bySecond',
    change: { set: { type: 'counts', project_id: projectId }, add: { ...changes, version: 1 } },
  }) as const satisfies Write;

/**
 * Adds to the counters of a project that was open when the request read it. Fails with 404 if it has been closed since:
 * the transaction that closes a project marks its counters, which saves a check of the project itself.
 */
export const countReaction = (projectId: string, changes: Changes): Write => ({
  ...changeCounts(projectId, changes),
  when: lacks('closed'),
  orElse: notFound,
});

/** To be part of the transaction that opens or closes a project. Neither figures nor their place in the feed change. */
export const setReactionsOpen = (projectId: string, isOpen: boolean): Write => ({
  update: countsKey(projectId),
  change: {
    set: { type: 'counts', project_id: projectId, ...(isOpen ? {} : REACTIONS_CLOSED) },
    ...(isOpen && { remove: ['closed'] }),
  },
});

/**
 * Replaces the counters of a purged project by a mark that outlives every request that has read the project.
 * @param ttl when the mark expires, in seconds since the epoch.
 */
export const removedCounts = (projectId: string, ttl: number): Write => ({
  put: { ...countsKey(projectId), type: 'projectRemoved', project_id: projectId, ttl, ...REACTIONS_CLOSED },
});

const sumRatings = async (projectId: string): Promise<Pick<Recounted, 'ratings_sum' | 'ratings_count'>> => {
  const pages = collectionPages({
    partition: projectPartition(projectId),
    prefix: projectPrefix.ratings,
    only: ['pk', 'sk', 'rating'],
  });
  let [ratings_sum, ratings_count] = [0, 0];
  for await (const items of pages) {
    ratings_count += items.length;
    for (const { rating } of items) ratings_sum += Number(rating);
  }
  return { ratings_sum, ratings_count };
};

/** The votes that count: those that are set and not held. */
const countVotes = async (partition: string): Promise<number> => {
  const pages = collectionPages({ partition, prefix: projectPrefix.votes, only: ['pk', 'sk', 'held', 'withdrawn'] });
  let votes = 0;
  for await (const items of pages)
    votes += items.filter(({ held, withdrawn }) => held !== true && withdrawn !== true).length;
  return votes;
};

const countOpenReports = async (projectId: string): Promise<number> => {
  const pages = collectionPages({
    partition: projectPartition(projectId),
    prefix: projectPrefix.reports,
    only: ['pk', 'sk', 'status'],
  });
  let open = 0;
  for await (const items of pages) open += items.filter(({ status }) => status === 'open').length;
  return open;
};

export const countReactions = async (projectId: string): Promise<Recounted> => {
  const partition = projectPartition(projectId);
  const [upvote_count, comments_count, ratings, reports_open] = await Promise.all([
    countVotes(partition),
    countCollection(partition, projectPrefix.comments),
    sumRatings(projectId),
    countOpenReports(projectId),
  ]);
  return { upvote_count, comments_count, ...ratings, reports_open };
};

/**
 * Replaces the counters of a project that can be recounted; others, such as views, stay.
 * @throws 404 when the project is deleted.
 * @throws {ConditionFailed} when the version of the stored counters differs from `previous`.
 */
export const replaceCounts = async (
  projectId: string,
  previous: ProjectCounts,
  next: Recounted & Pick<ProjectCounts, 'version'>,
): Promise<void> => {
  await transact([
    { check: projectKey(projectId), when: exists, orElse: notFound },
    {
      update: countsKey(projectId),
      inFeed: true,
      change: { set: { type: 'counts', project_id: projectId, ...next } },
      when: previous.version === 0 ? lacks('version') : is('version', previous.version),
    },
  ]);
};
