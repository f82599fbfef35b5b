import type { TouchCounts } from '#model/batch.ts';
import type { ProjectCounts } from '#model/project.ts';
import { notFound } from '#shared/errors.ts';
import { countsKey, type Key, projectKey } from './keys.ts';
import { findItem, type Item } from './read.ts';
import { absent, type Condition, either, every, exists, is, isUnset, keyOfWrite, lacks, type Write } from './write.ts';

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

/** The project is live and not deleted. */
export const openProject = every(exists, is('status', 'live'), isUnset('deleted_at'));

/** A check that fails the transaction with 404 unless the project is live and not deleted. */
export const projectIsOpen = (projectId: string): Write => ({
  check: projectKey(projectId),
  when: openProject,
  orElse: notFound,
});

/** Counters of which only an undo wants to know whether they are zero; they are stored beside those of the project. */
type TouchCounter = 'reports_count' | 'promotions_count';

type Changes = Partial<Record<Exclude<keyof ProjectCounts, 'version'> | TouchCounter, number>>;

const touchCounters = ['upvote_count', 'ratings_count', 'comments_count', 'reports_count', 'promotions_count'] as const;

/** The counters that show whether a project was touched; consistent. */
export const findTouchCounts = async (projectId: string): Promise<TouchCounts> => {
  const item = await findItem(countsKey(projectId));
  return Object.fromEntries(touchCounters.map((name) => [name, Number(item?.[name] ?? 0)])) as unknown as TouchCounts;
};

const untouched: Condition = either(absent, every(...touchCounters.map((name) => either(lacks(name), is(name, 0)))));

/** The writes of a project on condition that it was not touched; they fail with `ConditionFailed` once it was. */
export const onlyIfUntouched = (projectId: string, writes: readonly Write[]): readonly Write[] => {
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
