import { setImmediate as nextIteration } from 'node:timers/promises';
import {
  SIMULATION_ITEMS_MAX,
  type SimulatedOutcome,
  type Simulation,
  type SimulationResult,
} from '#contract/rules.ts';
import { catalogToCompare } from '#data/catalog.ts';
import { findUsers } from '#data/users.ts';
import type { RuleRecord } from '#model/rule.ts';
import { withCurrentCategories } from './current-categories.ts';
import { decideByRules } from './decide.ts';

/** Submissions that are evaluated before other requests are served. */
const STEP = 10;

/** Ids sort by position, which decides between rules of the same order. */
const simulatedRule = (rule: Simulation['rules'][number], position: number): RuleRecord => ({
  ...rule,
  id: String(position).padStart(3, '0'),
  version: 1,
  reason: rule.reason ?? null,
  note: rule.note ?? null,
});

/** What rules would have done with the latest submissions. Writes nothing. */
export const simulateRules = async ({ rules, last }: Simulation): Promise<SimulationResult> => {
  const directory = await catalogToCompare();
  const submissions = directory.lastCreated(last).map(({ project }) => project);
  const submitters = await findUsers([...new Set(submissions.map(({ owner_id }) => owner_id))]);
  const simulated = await withCurrentCategories(rules.map(simulatedRule));
  const counts: Record<SimulatedOutcome, number> = { approve: 0, reject: 0, hold: 0, none: 0 };
  const items: SimulationResult['items'] = [];
  for (const [index, project] of submissions.entries()) {
    if (index % STEP === STEP - 1) await nextIteration();
    const submitter = submitters.get(project.owner_id);
    const decision =
      submitter &&
      (await decideByRules(
        simulated,
        { ...project, submitter, at: project.created_at, catalog: () => Promise.resolve(directory) },
        () => {},
      ));
    const action = decision?.action ?? 'none';
    counts[action] += 1;
    if (items.length === SIMULATION_ITEMS_MAX) continue;
    items.push({
      project: { id: project.id, slug: project.slug, name: project.name, status: project.status },
      action,
      rule: decision ? { position: Number(decision.rule.id), name: decision.rule.name } : null,
      has_failed: decision?.hasFailed ?? false,
    });
  }
  return { counts, items };
};
