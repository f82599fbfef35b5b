import { type TidyPorts, tidyCategorySlugs } from '#domain/categories/tidy.ts';
import { type Drift, type RecountPorts, recountProject } from '#domain/projects/recount.ts';
import { type RecountUsersPorts, recountUsers, USERS_JOB } from '#domain/users/recount.ts';
import { type Bookmarks, walkThrough } from './walk.ts';

/** What reconciling takes. */
export interface ReconcilePorts extends Bookmarks, RecountPorts, RecountUsersPorts, TidyPorts {}

const JOB = 'reconcile-counters';
const AT_ONCE = 8;
const DRIFT_SHOWN = 50;

const NOBODY = { users: 0, users_repaired: 0, unfinished: false };
const NOTHING = { processed: 0, unfinished: false, repaired: 0, failed: 0, drift: [] };

const reconcileProjects = async (ports: ReconcilePorts, until: number) => {
  const catalog = await ports.catalog('now');
  const ids: string[] = [];
  for (const { project } of catalog.all()) ids.push(project.id);
  const drift: Drift[] = [];
  let [repaired, failed] = [0, 0];
  const recount = async (id: string): Promise<void> => {
    const found = await recountProject(ports, id, catalog.find(id)?.counts.version ?? 0);
    if (!found) {
      failed += 1;
    } else if (found.length > 0) {
      repaired += 1;
      drift.push(...found);
      ports.report('counters had drifted and are mended', { drift: found });
    }
  };
  const walked = await walkThrough(ports, ids, { job: JOB, until, atOnce: AT_ONCE }, (group) =>
    Promise.all(group.map(recount)),
  );
  return { ...walked, repaired, failed, drift: drift.slice(0, DRIFT_SHOWN) };
};

/**
 * Mends what should never differ: counters of projects and users from what they stand for, and category slugs that projects
 * carry in vain. It may run any number of times, beside everything else and beside itself.
 */
export const reconcileCounters = async (ports: ReconcilePorts, budgetMs: number) => {
  const until = performance.now() + budgetMs;
  const slugs = await tidyCategorySlugs(ports, until);
  // A run that goes on with the users has been through the projects: beginning them anew would never let it get further.
  const goesOn = (await ports.findBookmark(USERS_JOB)) !== undefined;
  const projects = goesOn ? NOTHING : await reconcileProjects(ports, until);
  const users = projects.unfinished ? NOBODY : await recountUsers(ports, until);
  return {
    processed: projects.processed,
    repaired: projects.repaired,
    drift: projects.drift,
    users: users.users,
    users_repaired: users.users_repaired,
    slugs_settled: slugs.slugs_settled,
    failed: projects.failed + slugs.failed,
    unfinished: slugs.unfinished || projects.unfinished || users.unfinished,
  };
};
