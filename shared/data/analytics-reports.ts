import { dayAfter } from '#domain/analytics/days.ts';
import type { Step, StepPorts } from '#domain/analytics/funnel.ts';
import type { NamedProject, RolledUp } from '#domain/analytics/report.ts';
import { REMEMBERED_SECONDS } from '#events/memory.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { DAY, FUNNEL, figuresOf, funnelOf } from './analytics-items.ts';
import { absent, exists } from './conditions.ts';
import { afterDay, funnelKey, type Key, projectDayKey, projectKey, receiptKey, siteDayKey } from './keys.ts';
import { projectOf } from './project-items.ts';
import { findItem, findItems, wholeCollection } from './read.ts';
import { ConditionFailed, transact, type Write } from './write.ts';

/** The figures and steps of some days, which stand together in one partition. */
const rollUpsOf = async (keyOf: (day: string) => Key, from: string, to: string): Promise<RolledUp> => {
  const items = await wholeCollection({
    partition: keyOf(from).pk,
    after: afterDay(keyOf(dayAfter(from, -1)).sk),
    before: afterDay(keyOf(to).sk),
  });
  return {
    days: items.filter(({ type }) => type === DAY).map(figuresOf),
    funnel: items.filter(({ type }) => type === FUNNEL).map(funnelOf),
  };
};

/** What was counted on the site from one day to another, both included. */
export const siteRollUps = (from: string, to: string): Promise<RolledUp> => rollUpsOf(siteDayKey, from, to);

/** What was counted of a project from one day to another, both included. */
export const projectRollUps = (projectId: string, from: string, to: string): Promise<RolledUp> =>
  rollUpsOf((day) => projectDayKey(projectId, day), from, to);

/** Those of some projects that exist. */
export const namedProjects = async (projectIds: readonly string[]): Promise<NamedProject[]> =>
  (await findItems(projectIds.map(projectKey))).flatMap((card) => (card ? [projectOf(card)] : []));

const addOne = (dayKey: Key, day: string, step: Step): Write => ({
  update: funnelKey(dayKey),
  change: { set: { type: FUNNEL, day }, add: { [step]: 1 } },
});

/** Counts a step of the funnel, of one event once. */
export const addStep: StepPorts['addStep'] = async ({ eventId, day, step, projectId }) => {
  // What is gone leaves nothing behind, so it is counted for the site alone.
  const isThere = projectId !== null && (await findItem(projectKey(projectId))) !== undefined;
  try {
    await transact([
      {
        put: {
          ...receiptKey('analytics.countStep', eventId),
          type: 'receipt',
          state: 'done',
          ttl: secondsFromNow(REMEMBERED_SECONDS),
        },
        when: absent,
      },
      addOne(siteDayKey(day), day, step),
      ...(isThere
        ? [
            // When it goes at this very moment the event comes again.
            { check: projectKey(projectId), when: exists, orElse: () => new Error(`${projectId} is gone.`) },
            addOne(projectDayKey(projectId, day), day, step),
          ]
        : []),
    ]);
  } catch (error) {
    // There is a receipt: it has been counted.
    if (!(error instanceof ConditionFailed)) throw error;
  }
};
