import type { DayFigures } from '#domain/analytics/figures.ts';
import type { Portion } from '#domain/analytics/portion.ts';
import type { RollUpStep, SeenVisitor, SiteDay } from '#domain/analytics/roll-up.ts';
import type { TrackedBatch } from '#domain/analytics/track.ts';
import { isOpen } from '#domain/projects/policy.ts';
import { forgottenBy, trackedOfItem } from './analytics.ts';
import { attributesOf, figuresOf, siteDayOf } from './analytics-items.ts';
import { absent, every, exists, is } from './conditions.ts';
import { changeCounts, projectIsOpen } from './counts.ts';
import {
  type Key,
  projectDayKey,
  projectKey,
  saltKey,
  siteDayKey,
  trackedKey,
  trackedPartition,
  trackedShards,
  visitorKey,
  visitorShards,
  visitorsPartition,
} from './keys.ts';
import { projectOf } from './project-items.ts';
import { findProjectId } from './projects.ts';
import { collectionPages, findItem, findItems, firstOfCollection } from './read.ts';
import { ConditionFailed, removeItems, transact, type Write } from './write.ts';

/** How many requests are taken from each partition at a time; more than one transaction takes are not needed. */
const AT_A_TIME = 25;
/** How many visitors one run forgets at most; the next goes on. */
const FORGOTTEN_MAX = 20_000;

/** Some of what waits to be rolled up, of one day. */
export const trackedOf = async (day: string): Promise<TrackedBatch[]> => {
  const read = (shard: string) => firstOfCollection({ partition: trackedPartition(day, shard) }, AT_A_TIME);
  return (await Promise.all(trackedShards.map(read))).flat().map(trackedOfItem);
};

/** The figures of a day of the site. */
export const findSiteDay = async (day: string): Promise<SiteDay | undefined> => {
  const item = await findItem(siteDayKey(day));
  return item && siteDayOf(item);
};

/** The ids of those of some projects that are live, by id or slug as it was asked for. */
export const liveProjects = async (references: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const ids = await Promise.all(references.map(findProjectId));
  const asked = references.flatMap((reference, position) => {
    const id = ids[position];
    return id === undefined ? [] : [{ reference, id }];
  });
  const cards = await findItems(asked.map(({ id }) => projectKey(id)));
  return new Map(
    asked.flatMap(({ reference, id }, position) => {
      const card = cards[position];
      return card && isOpen(projectOf(card)) ? [[reference, id]] : [];
    }),
  );
};

/** Those of some visitors who have been here on a day. */
export const findVisitors = async (day: string, visitors: readonly string[]): Promise<SeenVisitor[]> => {
  const items = await findItems(visitors.map((visitor) => visitorKey(day, visitor)));
  return items.flatMap((item) =>
    item ? [{ visitor: String(item.visitor), projects: (item.projects ?? []) as string[] }] : [],
  );
};

/** The figures of some projects on a day. */
export const findProjectDays = async (
  day: string,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, DayFigures>> => {
  const items = await findItems(projectIds.map((id) => projectDayKey(id, day)));
  return new Map(
    projectIds.flatMap((id, position) => {
      const item = items[position];
      return item ? [[id, figuresOf(item)]] : [];
    }),
  );
};

const consumed = ({ batch, upTo }: Portion): Write => {
  const key = trackedKey(batch.day, batch.id);
  const when = every(exists, is('done', batch.done));
  return upTo === batch.lines.length ? { remove: key, when } : { update: key, change: { set: { done: upTo } }, when };
};

const ofProject = (day: string, { id, views, figures }: RollUpStep['projects'][number]): Write[] => [
  // A project that is not live any more is looked up anew.
  { ...projectIsOpen(id), orElse: () => new ConditionFailed(`${id} is not live any more.`) },
  ...(views > 0 ? [changeCounts(id, { views_count: views })] : []),
  { put: { ...projectDayKey(id, day), project_id: id, ...attributesOf(figures) } },
];

/**
 * Adds a step to the figures and takes away what was added, in one transaction.
 * @throws {ConditionFailed} when somebody else has added something to this day in between.
 */
export const applyStep = async ({ previous, next, portions, visitors, projects }: RollUpStep): Promise<void> => {
  const { day } = next;
  const ttl = forgottenBy(day);
  await transact([
    {
      put: { ...siteDayKey(day), ...attributesOf(next) },
      when: previous ? is('version', previous.version) : absent,
    },
    ...portions.map(consumed),
    ...visitors.map(
      ({ visitor, projects: seen }): Write => ({
        put: { ...visitorKey(day, visitor), type: 'visitor', visitor, projects: [...seen], ttl },
      }),
    ),
    ...projects.flatMap((project) => ofProject(day, project)),
  ]);
};

/** Removes who visited on a day. @returns whether nobody is left. */
export const forgetVisitors = async (day: string): Promise<boolean> => {
  let forgotten = 0;
  for (const shard of visitorShards) {
    const pages = collectionPages({ partition: visitorsPartition(day, shard), only: ['pk', 'sk'] });
    for await (const items of pages) {
      if (forgotten >= FORGOTTEN_MAX) return false;
      await removeItems(items.map(({ pk, sk }) => ({ pk, sk }) as unknown as Key));
      forgotten += items.length;
    }
  }
  return true;
};

/** Removes the salt of a day, and notes that nothing of its visitors is left. @throws {ConditionFailed} when it has changed. */
export const closeDay = async (day: string, known: SiteDay | undefined): Promise<void> => {
  await transact([
    { remove: saltKey(day) },
    known
      ? {
          update: siteDayKey(day),
          change: { set: { closed: true }, add: { version: 1 } },
          when: is('version', known.version),
        }
      : { check: siteDayKey(day), when: absent },
  ]);
};
