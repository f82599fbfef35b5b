import { DEDUPLICATION_SECONDS } from '#events/subscriptions.ts';
import {
  DayCounters,
  type DayFigures,
  DayTallies,
  FunnelDay,
  type FunnelStep,
  type RolledUp,
  type SiteDay,
  SiteDayState,
} from '#model/analytics.ts';
import { dayAfter } from '#model/days.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { afterDay, deduplicationKey, funnelKey, type Key, projectDayKey, projectKey, siteDayKey } from './keys.ts';
import { findItem, findItems, type Item, wholeCollection } from './read.ts';
import { absent, ConditionFailed, exists, transact, type Write } from './write.ts';

const DAY = 'day';
const FUNNEL = 'funnel';

/** The attributes of the figures of a day. The tallies are one JSON string, which is read ten times as fast. */
export const figuresItem = (figures: DayFigures): Item => {
  const { projects, countries, browsers, devices, referrers, ...counters } = figures;
  const tallies: DayTallies = { projects, countries, browsers, devices, referrers };
  return { type: DAY, ...counters, names: JSON.stringify(tallies) };
};

const figuresOf = (item: Item): DayFigures => ({
  ...DayCounters.parse(item),
  ...DayTallies.parse(JSON.parse(String(item.names))),
});

/** The figures and funnel steps of a range of days, which share a partition. */
const findRollUps = async (keyOf: (day: string) => Key, from: string, to: string): Promise<RolledUp> => {
  const items = await wholeCollection({
    partition: keyOf(from).pk,
    after: afterDay(keyOf(dayAfter(from, -1)).sk),
    before: afterDay(keyOf(to).sk),
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

/** The figures of the site on a day. */
export const findSiteDay = async (day: string): Promise<SiteDay | undefined> => {
  const item = await findItem(siteDayKey(day));
  return item && { ...figuresOf(item), ...SiteDayState.parse(item) };
};

/** The figures of projects on a day, by project id; those without any are absent. */
export const findProjectDays = async (
  day: string,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, DayFigures>> => {
  const items = await findItems(projectIds.map((id) => projectDayKey(id, day)));
  return new Map(
    projectIds.flatMap((id, index) => {
      const item = items[index];
      return item ? [[id, figuresOf(item)]] : [];
    }),
  );
};

const increment = (dayKey: Key, day: string, step: FunnelStep): Write => ({
  update: funnelKey(dayKey),
  change: { set: { type: FUNNEL, day }, add: { [step]: 1 } },
});

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
      {
        put: {
          ...deduplicationKey('analytics.countStep', eventId),
          type: 'receipt',
          state: 'done',
          ttl: secondsFromNow(DEDUPLICATION_SECONDS),
        },
        when: absent,
      },
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
