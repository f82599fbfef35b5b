import {
  applyStep,
  closeDay,
  deleteVisitors,
  findProjectDays,
  findQueries,
  findSiteDay,
  findTracked,
  findVisitors,
  openDays,
} from '#data/analytics.ts';
import { liveProjectIds } from '#data/projects.ts';
import { ConditionFailed, TRANSACTION_MAX } from '#data/write.ts';
import {
  addToProject,
  addToSite,
  deduplicated,
  emptyDay,
  type Hit,
  isOfProject,
  isOfPromotion,
  type Portion,
  promotionCountsIn,
  type RollUpStep,
  type TrackedBatch,
  viewsIn,
} from '#model/analytics.ts';
import { endOfDaySeconds } from '#model/days.ts';
import { queriesIn, queriesOfDay } from '#model/searches.ts';
import { now } from '#platform/clock.ts';

/** Writes per project in a transaction: the check that it is live, its counters, its figures of the day. */
const WRITES_PER_PROJECT = 3;
/** Its counters. */
const WRITES_PER_PROMOTION = 1;

/**
 * As many lines as fit into one transaction, in order and at least one. A batch that names many projects is split.
 * @param writesMax writes per transaction.
 */
export const firstPortions = (batches: readonly TrackedBatch[], writesMax: number): Portion[] => {
  // The figures of the site and of searches.
  let writes = 2;
  const visitors = new Set<string>();
  const projects = new Set<string>();
  const portions: Portion[] = [];
  for (const batch of batches) {
    writes += 1;
    if (!visitors.has(batch.visitor)) {
      visitors.add(batch.visitor);
      writes += 1;
    }
    let upTo = batch.done;
    for (const line of batch.lines.slice(batch.done)) {
      const { project } = line;
      const perTarget = isOfPromotion(line) ? WRITES_PER_PROMOTION : WRITES_PER_PROJECT;
      const more = project === null || projects.has(project) ? 0 : perTarget;
      if (writes + more > writesMax) break;
      if (project !== null) projects.add(project);
      writes += more;
      upTo += 1;
    }
    // A batch without lines is consumed, so that it cannot block the others.
    if (writes > writesMax || (upTo === batch.done && batch.lines.length > 0)) break;
    portions.push({ batch, upTo });
    if (upTo < batch.lines.length) break;
  }
  return portions;
};

/** How long after its end a day is closed, in seconds: later than any request of the day can still write. */
const CLOSED_AFTER_SECONDS = 3600;
/** Consecutive conflicts after which a run leaves the day to the concurrent one. */
const CONFLICTS_MAX = 20;
const stepFor = async (day: string, portions: readonly Portion[]): Promise<RollUpStep> => {
  const lines = portions.flatMap(({ batch, upTo }) =>
    batch.lines.slice(batch.done, upTo).map((line) => ({ from: batch, line })),
  );
  const references = [...new Set(lines.flatMap(({ line }) => (isOfPromotion(line) ? [] : (line.project ?? []))))];
  // Read first: its version is the condition of the transaction, so nothing that is read later can be older than it.
  const previous = await findSiteDay(day);
  // After the day's visitors have been deleted, a late one cannot be distinguished from those already counted.
  const isClosed = previous?.closed === true;
  const visitors = isClosed ? [] : [...new Set(portions.map(({ batch }) => batch.visitor))];
  const [live, known] = await Promise.all([liveProjectIds(references), findVisitors(day, visitors)]);
  const all = lines.map(({ from, line }): Hit => {
    const sender = isClosed ? { ...from, counted: false } : from;
    const projectId = line.project === null || isOfPromotion(line) ? undefined : live.get(line.project);
    return { from: sender, line, projectId: projectId ?? null };
  });
  const { hits, ofSite, perProject, perQuery, changed } = deduplicated(known, all);
  const byProject = Map.groupBy(hits.filter(isOfProject), ({ projectId }) => String(projectId));
  const figures = await findProjectDays(day, [...byProject.keys()]);
  const queries = queriesIn(hits, perQuery);
  const before = previous ?? { ...emptyDay(day), version: 0, closed: false };
  return {
    previous,
    next: { ...addToSite(before, hits, ofSite), version: before.version + 1 },
    portions,
    visitors: isClosed ? [] : changed,
    projects: [...byProject].map(([id, own]) => ({
      id,
      views: viewsIn(own),
      figures: addToProject(figures.get(id) ?? emptyDay(day), own, perProject.get(id) ?? 0),
    })),
    promotions: promotionCountsIn(hits),
    queries: queries.length === 0 ? undefined : queriesOfDay(await findQueries(day), queries),
  };
};

const eventsIn = (portions: readonly Portion[]): number =>
  portions.flatMap(({ batch, upTo }) => batch.lines.slice(batch.done, upTo)).reduce((sum, { count }) => sum + count, 0);

/** Rolls up the events of a day. @returns how many, and whether all of them. */
const rollUpDay = async (day: string, until: number) => {
  let processed = 0;
  let conflicts = 0;
  // Not `retryOnConflict`: the next attempt continues with what the concurrent run has left.
  while (conflicts < CONFLICTS_MAX) {
    const waiting = await findTracked(day);
    if (waiting.length === 0) return { processed, isDone: true };
    if (performance.now() > until) break;
    const portions = firstPortions(waiting, TRANSACTION_MAX);
    try {
      await applyStep(await stepFor(day, portions));
      processed += eventsIn(portions);
      conflicts = 0;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
      conflicts += 1;
    }
  }
  return { processed, isDone: false };
};

/** Deletes the visitors and the salt of a past day. @returns false when visitors remain or the day has changed. */
const deleteTraces = async (day: string): Promise<boolean> => {
  const known = await findSiteDay(day);
  if (!(await deleteVisitors(day))) return false;
  try {
    await closeDay(day, known);
    return true;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    return false;
  }
};

/**
 * Adds tracked events to the figures of their day, to the views of projects and to the counters of promotions, and
 * deletes the visitors of past days.
 * Events are deleted in the transaction that counts them, so interrupted and concurrent runs count each exactly once.
 * @param budgetMs after which the rest is left to the next run.
 */
export const rollUp = async (budgetMs: number): Promise<{ processed: number; unfinished: boolean }> => {
  const until = performance.now() + budgetMs;
  const startedAtSeconds = Date.parse(now()) / 1000;
  let processed = 0;
  let unfinished = false;
  for (const day of await openDays()) {
    const result = await rollUpDay(day, until);
    processed += result.processed;
    const isPast = startedAtSeconds >= endOfDaySeconds(day) + CLOSED_AFTER_SECONDS;
    const isDone = result.isDone && (!isPast || (await deleteTraces(day)));
    unfinished ||= !isDone;
  }
  return { processed, unfinished };
};
