import { createHmac } from 'node:crypto';
import {
  DayCounters,
  type DayFigures,
  DayTallies,
  FunnelDay,
  type FunnelStep,
  type Portion,
  type QueryFigures,
  type RolledUp,
  type RollUpStep,
  type SeenVisitor,
  type SiteDay,
  SiteDayState,
  type TrackedBatch,
  type TrackedLine,
} from '#model/analytics.ts';
import { DAY_SECONDS, dayAfter, endOfDaySeconds } from '#model/days.ts';
import { countReaction, projectIsOpen } from './counts.ts';
import { DaySalt } from './day-salt.ts';
import { deduplicationRecord } from './deduplication.ts';
import {
  afterDay,
  funnelKey,
  type Key,
  projectDayKey,
  projectKey,
  saltKey,
  saltsPartition,
  searchDayKey,
  searchesPartition,
  siteDayKey,
  trackedKey,
  trackedPartition,
  trackedShards,
  visitorKey,
  visitorShards,
  visitorsPartition,
} from './keys.ts';
import { addToPromotion } from './promotions.ts';
import {
  collectionPages,
  findItem,
  findItemsBy,
  firstOfCollection,
  type Item,
  keyOf,
  wholeCollection,
} from './read.ts';
import { absent, ConditionFailed, deleteItems, every, exists, is, putItem, transact, type Write } from './write.ts';

const DAY = 'day';
const FUNNEL = 'funnel';

/** The attributes of the figures of a day. The tallies are one JSON string, which is read ten times as fast. */
const figuresItem = (figures: DayFigures): Item => {
  const { projects, countries, browsers, devices, referrers, ...counters } = figures;
  const tallies: DayTallies = { projects, countries, browsers, devices, referrers };
  return { type: DAY, ...counters, names: JSON.stringify(tallies) };
};

const figuresOf = (item: Item): DayFigures => ({
  ...DayCounters.parse(item),
  ...DayTallies.parse(JSON.parse(String(item.names))),
});

/** The figures and funnel steps of a range of days, which share a partition. */
const findRollUps = async (dayKey: (day: string) => Key, from: string, to: string): Promise<RolledUp> => {
  const items = await wholeCollection({
    partition: dayKey(from).pk,
    after: afterDay(dayKey(dayAfter(from, -1)).sk),
    before: afterDay(dayKey(to).sk),
  });
  return {
    days: items.filter(({ type }) => type === DAY).map(figuresOf),
    funnel: items.filter(({ type }) => type === FUNNEL).map((item) => FunnelDay.parse(item)),
  };
};

/** The roll-ups of the site from one day to another, inclusive. */
export const siteRollUps = (from: string, to: string): Promise<RolledUp> => findRollUps(siteDayKey, from, to);

/** The roll-ups of a project from one day to another, inclusive. */
export const projectRollUps = (projectId: string, from: string, to: string): Promise<RolledUp> =>
  findRollUps((day) => projectDayKey(projectId, day), from, to);

export const findSiteDay = async (day: string): Promise<SiteDay | undefined> => {
  const item = await findItem(siteDayKey(day));
  return item && { ...figuresOf(item), ...SiteDayState.parse(item) };
};

/** The figures of projects on a day, by project id; those without any are absent. */
export const findProjectDays = async (
  day: string,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, DayFigures>> => {
  const items = await findItemsBy(projectIds, (id) => projectDayKey(id, day));
  return new Map([...items].map(([id, item]) => [id, figuresOf(item)]));
};

/** The queries of visitors are deleted after so many days. */
export const SEARCHES_KEPT_DAYS = 90;

/** Queries are stored as arrays in one JSON string, like the tallies. */
type StoredQuery = readonly [
  q: string,
  searches: number,
  visitors: number,
  no_results: number,
  clicks: number,
  positions: number,
];

const searchDayItem = (day: string, queries: readonly QueryFigures[]): Item & Key => {
  const stored = queries.map(
    ({ q, searches, visitors, no_results, clicks, positions }): StoredQuery => [
      q,
      searches,
      visitors,
      no_results,
      clicks,
      positions,
    ],
  );
  const ttl = endOfDaySeconds(day) + SEARCHES_KEPT_DAYS * DAY_SECONDS;
  return { ...searchDayKey(day), type: 'searches', queries: JSON.stringify(stored), ttl };
};

const queriesOf = (item: Item | undefined): QueryFigures[] =>
  (JSON.parse(String(item?.queries ?? '[]')) as readonly StoredQuery[]).map(
    ([q, searches, visitors, no_results, clicks, positions]) => ({
      q,
      searches,
      visitors,
      no_results,
      clicks,
      positions,
    }),
  );

/** What visitors searched for on a day. */
export const findQueries = async (day: string): Promise<QueryFigures[]> => queriesOf(await findItem(searchDayKey(day)));

/** What visitors searched for from one day to another, inclusive, by day. */
export const queriesBetween = async (from: string, to: string): Promise<QueryFigures[][]> => {
  const items = await wholeCollection({
    partition: searchesPartition,
    after: afterDay(dayAfter(from, -1)),
    before: afterDay(to),
  });
  return items.map(queriesOf);
};

const increment = (dayKey: Key, day: string, step: FunnelStep): Write => ({
  update: funnelKey(dayKey),
  change: { set: { type: FUNNEL, day }, add: { [step]: 1 } },
});

/** Stores the funnel of a day that has none. @returns false when it has one. */
export const insertFunnelDay = (figures: FunnelDay): Promise<boolean> =>
  putItem({ ...funnelKey(siteDayKey(figures.day)), type: FUNNEL, ...figures }, absent);

/** Counts a funnel step, once per event; for the site alone when the project does not exist. */
export const countFunnelStep = async ({
  eventId,
  day,
  step,
  projectId,
}: {
  readonly eventId: string;
  readonly day: string;
  readonly step: FunnelStep;
  readonly projectId: string | null;
}): Promise<void> => {
  const projectExists = projectId !== null && (await findItem(projectKey(projectId))) !== undefined;
  try {
    await transact([
      deduplicationRecord('analytics.countStep', eventId),
      increment(siteDayKey(day), day, step),
      ...(projectExists
        ? [
            // Purged concurrently: the event is delivered again.
            {
              check: projectKey(projectId),
              when: exists,
              orElse: () => new Error(`The project ${projectId} no longer exists.`),
            },
            increment(projectDayKey(projectId, day), day, step),
          ]
        : []),
    ]);
  } catch (error) {
    // The deduplication record exists: the event has been counted.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};

/** Time to live after the end of the day, in seconds: deletes visitors even when no roll-up runs. */
const GRACE_SECONDS = 7 * DAY_SECONDS;
/** Length of a visitor hash in hexadecimal digits: 72 bits, so that collisions among millions are unlikely. */
const VISITOR_DIGITS = 18;

const expiryOf = (day: string): number => endOfDaySeconds(day) + GRACE_SECONDS;

const salt = new DaySalt(saltKey, expiryOf);

/** The hash of a visitor: equal on one day, unrelated on any other. The salt is stored only in the table. */
export const visitorHash = async (day: string, signals: readonly string[]): Promise<string> =>
  createHmac('sha256', await salt.of(day))
    .update(JSON.stringify(signals))
    .digest('hex')
    .slice(0, VISITOR_DIGITS);

/** The days that have not been closed, oldest first. */
export const openDays = async (): Promise<string[]> =>
  (await wholeCollection({ partition: saltsPartition, only: ['sk'] })).map(({ sk }) => String(sk));

/** Lines are stored as arrays, which take less space than maps. */
type StoredLine = readonly [
  TrackedLine['type'],
  project: string | null,
  referrer: string | null,
  count: number,
  search?: readonly [q: string, value: number],
];

const storedLine = ({ type, project, referrer, count, search }: TrackedLine): StoredLine =>
  search ? [type, project, referrer, count, [search.q, search.value]] : [type, project, referrer, count];

const lineOf = ([type, project, referrer, count, search]: StoredLine): TrackedLine => ({
  type,
  project,
  referrer,
  count,
  ...(search && { search: { q: search[0], value: search[1] } }),
});

/** Stores the events of one request in one item. */
export const insertTracked = async ({ lines, ...batch }: TrackedBatch): Promise<void> => {
  // Creates the salt, which marks the day as open.
  await salt.of(batch.day);
  await putItem({
    ...trackedKey(batch.day, batch.id),
    type: 'tracked',
    ...batch,
    lines: lines.map(storedLine),
    ttl: expiryOf(batch.day),
  } satisfies Item & Key);
};

const batchOf = (item: Item): TrackedBatch => ({
  id: String(item.id),
  day: String(item.day),
  hour: Number(item.hour),
  visitor: String(item.visitor),
  counted: item.counted === true,
  country: String(item.country),
  browser: String(item.browser),
  device: String(item.device),
  lines: (item.lines as readonly StoredLine[]).map(lineOf),
  done: Number(item.done),
});

/** Batches read from each shard; together more than one transaction takes. */
const BATCHES_PER_SHARD = 25;
/** Visitors deleted by one run; the next run continues. */
const DELETED_VISITORS_MAX = 20_000;

/** Some of the batches of a day that have not been rolled up. */
export const findTracked = async (day: string): Promise<TrackedBatch[]> => {
  const read = (shard: string) => firstOfCollection({ partition: trackedPartition(day, shard) }, BATCHES_PER_SHARD);
  return (await Promise.all(trackedShards.map(read))).flat().map(batchOf);
};

/** The stored ones of some visitors of a day. */
export const findVisitors = async (day: string, visitors: readonly string[]): Promise<SeenVisitor[]> => {
  const items = await findItemsBy(visitors, (visitor) => visitorKey(day, visitor));
  return [...items].map(([visitor, { hours }]) => ({ visitor, hours: new Map(JSON.parse(String(hours ?? '[]'))) }));
};

/** Deletes a batch, or marks the first lines of it as rolled up. */
const consume = ({ batch, upTo }: Portion): Write => {
  const key = trackedKey(batch.day, batch.id);
  const when = every(exists, is('done', batch.done));
  return upTo === batch.lines.length ? { delete: key, when } : { update: key, change: { set: { done: upTo } }, when };
};

const projectWrites = (day: string, { id, views, figures }: RollUpStep['projects'][number]): Write[] => [
  // A conflict rather than a 404: the step is computed again without the project.
  {
    ...(views > 0 ? countReaction(id, { views_count: views }) : projectIsOpen(id)),
    orElse: () => new ConditionFailed(`${id} is no longer live.`),
  },
  { put: { ...projectDayKey(id, day), project_id: id, ...figuresItem(figures) } },
];

/**
 * Adds a step to the figures and deletes the rolled-up lines in one transaction.
 * @throws {ConditionFailed} after a concurrent roll-up of the day, or when a project is no longer live.
 */
export const applyStep = async (step: RollUpStep): Promise<void> => {
  const { previous, next, portions, visitors, projects, promotions, queries } = step;
  const { day } = next;
  const ttl = expiryOf(day);
  await transact([
    {
      put: { ...siteDayKey(day), ...figuresItem(next) },
      when: previous ? is('version', previous.version) : absent,
    },
    ...portions.map(consume),
    ...visitors.map(
      // As text, because a map of a thousand entries takes twice the space.
      ({ visitor, hours }): Write => ({
        put: { ...visitorKey(day, visitor), type: 'visitor', visitor, hours: JSON.stringify([...hours]), ttl },
      }),
    ),
    ...projects.flatMap((project) => projectWrites(day, project)),
    ...promotions.map(({ id, counts }) => addToPromotion(id, counts)),
    ...(queries ? [{ put: searchDayItem(day, queries) }] : []),
  ]);
};

/** Deletes a day's visitor hashes. @returns true when none remain. */
export const deleteVisitors = async (day: string): Promise<boolean> => {
  let deleted = 0;
  for (const shard of visitorShards) {
    const pages = collectionPages({ partition: visitorsPartition(day, shard), only: ['pk', 'sk'] });
    for await (const items of pages) {
      if (deleted >= DELETED_VISITORS_MAX) return false;
      await deleteItems(items.map(keyOf));
      deleted += items.length;
    }
  }
  return true;
};

/** Deletes the salt of a day and marks its figures as closed. @throws {ConditionFailed} after a concurrent roll-up. */
export const closeDay = async (day: string, known: SiteDay | undefined): Promise<void> => {
  await transact([
    { delete: saltKey(day) },
    known
      ? {
          update: siteDayKey(day),
          change: { set: { closed: true }, add: { version: 1 } },
          when: is('version', known.version),
        }
      : { check: siteDayKey(day), when: absent },
  ]);
};
