import { catalog } from '#data/catalog.ts';
import { findCheckpoint } from '#data/checkpoints.ts';
import { log } from '#platform/log.ts';
import { repairCategorySlugs } from '#services/categories/propagate-slug.ts';
import { type Drift, recountProject } from '#services/projects/recount.ts';
import { repeatErasures } from '#services/users/erase.ts';
import { recountUsers, USERS_JOB } from '#services/users/recount.ts';
import { iterateResumably } from './resumable-iteration.ts';

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
  const recount = async (id: string): Promise<void> => {
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
  const { processed, unfinished } = await iterateResumably(ids, iteration, (batch) => Promise.all(batch.map(recount)));
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
    slugs_settled: slugs.slugs_settled,
    failed: projects.failed + slugs.failed,
    unfinished: slugs.unfinished || projects.unfinished || users.unfinished || erasures.timedOut,
  };
};
