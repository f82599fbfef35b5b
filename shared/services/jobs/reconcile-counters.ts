import { catalog } from '#data/catalog.ts';
import { deleteCheckpoint, findCheckpoint, iterateResumably, saveCheckpoint } from '#data/checkpoints.ts';
import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import { countReactions, readCounts, replaceCounts } from '#data/counts.ts';
import { commentCounts, correctCommentCount, countCommentsBy } from '#data/users.ts';
import { recounted } from '#model/project.ts';
import type { CommentCount } from '#model/user.ts';
import { isRecent } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { repairCategorySlugs } from '#services/categories/propagate-slug.ts';
import { repeatErasures } from '#services/users/erase.ts';
import { AppError } from '#shared/errors.ts';

/** A counter whose stored value was wrong. */
interface Drift {
  readonly project_id: string;
  readonly counter: string;
  readonly was: number;
  readonly is: number;
}

/** A project with more concurrent reactions is left to the next run: each attempt reads all its ratings. */
const ATTEMPTS_MAX = 5;

const recount = async (projectId: string, knownVersion: number): Promise<readonly Drift[]> => {
  const counts = await readCounts(projectId);
  const actual = await countReactions(projectId);
  const drift = recounted
    .filter((counter) => counts[counter] !== actual[counter])
    .map((counter) => ({ project_id: projectId, counter, was: counts[counter], is: actual[counter] }));
  if (drift.length === 0) return [];
  await replaceCounts(projectId, counts, { ...actual, version: Math.max(counts.version, knownVersion) + 1 });
  return drift;
};

/**
 * Recounts the reactions to a project and corrects its counters. Every reaction increments the version of the
 * counters in its transaction, so an unchanged version proves that no reaction came in between.
 * @param knownVersion the highest version of the counters in any replica; the corrected counters get a higher one.
 * @returns the corrected counters; undefined when concurrent reactions prevented the correction.
 */
export const recountProject = async (
  projectId: string,
  knownVersion: number,
): Promise<readonly Drift[] | undefined> => {
  try {
    return await retryOnConflict(() => recount(projectId, knownVersion), { attemptsMax: ATTEMPTS_MAX });
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    // The project was purged concurrently.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
};

/** Users who changed this recently are skipped, because the index of their comments may lag, in milliseconds. */
const QUIET_MS = 60_000;
/** A run that begins late recounts users for this long, in milliseconds: otherwise none would ever reach them. */
const DURATION_MIN_MS = 500;
export const USERS_JOB = 'reconcile-counters-users';

/** @returns whether the counter was wrong and has been corrected. */
const recountUser = async (user: CommentCount): Promise<boolean> => {
  if (isRecent(user.changedAt, QUIET_MS)) return false;
  const count = await countCommentsBy(user.userId);
  return count !== user.counted && (await correctCommentCount(user, count));
};

/**
 * Recounts the comments of every user and corrects the counters, from the last checkpoint on. Writing a comment
 * increments the version of its author's record, so a concurrent comment makes the correction fail instead of being
 * lost.
 * @param until when to stop, in milliseconds of the monotonic clock.
 */
const recountUsers = async (until: number): Promise<{ users: number; users_repaired: number; unfinished: boolean }> => {
  const after = await findCheckpoint(USERS_JOB);
  let [users, users_repaired] = [0, 0];
  let position = after;
  const bounds = { until: Math.max(until, performance.now() + DURATION_MIN_MS) };
  for await (const page of commentCounts(after)) {
    const { results, isComplete } = await mapConcurrently(page, (user) => recountUser(user), bounds);
    users += results.length;
    users_repaired += results.filter(Boolean).length;
    position = page[results.length - 1]?.position ?? position;
    if (isComplete) continue;
    if (position !== undefined) await saveCheckpoint(USERS_JOB, position);
    return { users, users_repaired, unfinished: true };
  }
  if (after !== undefined) await deleteCheckpoint(USERS_JOB);
  return { users, users_repaired, unfinished: false };
};

const JOB = 'reconcile-counters';
const BATCH_SIZE = 8;
const DRIFT_SHOWN = 50;

const PROJECTS_SKIPPED = { processed: 0, unfinished: false, repaired: 0, failed: 0, drift: [] };
const USERS_SKIPPED = { users: 0, users_repaired: 0, unfinished: false };

const reconcileProjects = async (until: number) => {
  const current = await catalog('now');
  const ids: string[] = [];
  for (const { project } of current.all()) ids.push(project.id);
  const drift: Drift[] = [];
  let [repaired, failed] = [0, 0];
  const recountOne = async (id: string): Promise<void> => {
    const found = await recountProject(id, current.find(id)?.counts.version ?? 0);
    if (!found) {
      failed += 1;
    } else if (found.length > 0) {
      repaired += 1;
      drift.push(...found);
      log.warn('counters had drifted and were corrected', { drift: found });
    }
  };
  const iteration = { job: JOB, until, batchSize: BATCH_SIZE };
  const { processed, unfinished } = await iterateResumably(ids, iteration, (batch) =>
    Promise.all(batch.map(recountOne)),
  );
  return { processed, unfinished, repaired, failed, drift: drift.slice(0, DRIFT_SHOWN) };
};

/**
 * Recounts the counters of projects and users, repairs category slugs on projects, and deletes votes and ratings of erased
 * users that remained. Safe to repeat and to run
 * concurrently.
 */
export const reconcileCounters = async (budgetMs: number) => {
  const until = performance.now() + budgetMs;
  const slugs = await repairCategorySlugs(until);
  // An earlier run stopped among the users: starting with the projects again would never finish the users.
  const isAmongUsers = (await findCheckpoint(USERS_JOB)) !== undefined;
  const projects = isAmongUsers ? PROJECTS_SKIPPED : await reconcileProjects(until);
  const users = projects.unfinished ? USERS_SKIPPED : await recountUsers(until);
  const erasures = await repeatErasures(until);
  if (erasures.removed > 0) log.warn('reactions of erased users were found and deleted', { removed: erasures.removed });
  return {
    processed: projects.processed,
    repaired: projects.repaired,
    drift: projects.drift,
    users: users.users,
    users_repaired: users.users_repaired,
    slugs_propagated: slugs.slugs_propagated,
    failed: projects.failed + slugs.failed,
    unfinished: slugs.unfinished || projects.unfinished || users.unfinished || erasures.timedOut,
  };
};
