import { setImmediate as nextIteration } from 'node:timers/promises';
import {
  type Rule,
  type RuleBody,
  type RuleUpdate,
  SIMULATION_ITEMS_MAX,
  type SimulatedOutcome,
  type Simulation,
  type SimulationResult,
} from '#contract/rules.ts';
import { catalogToCompare } from '#data/catalog.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { currentFields } from '#data/custom-fields.ts';
import { rules } from '#data/rules.ts';
import { findUsers } from '#data/users.ts';
import { byOrder, type RuleRecord } from '#model/rule.ts';
import { environment } from '#platform/environment.ts';
import { mustHaveTime } from '#platform/time-limit.ts';
import { createOnce } from '#services/create-once.ts';
import { invalidField, notFound } from '#shared/errors.ts';
import { decideByRules, withCurrentCategories } from './apply-rules.ts';

/** All rules in the order in which they are tried. */
export const listRules = async (): Promise<Rule[]> => (await rules.all()).toSorted(byOrder);

/** A body with the current categories in place of merged ones. */
const resolved = async <B extends RuleUpdate>(body: B): Promise<B> => {
  if (!body.when) return body;
  const conditions = body.when.all ?? body.when.any ?? [];
  if (!environment().features.fields && conditions.some(({ field_is }) => field_is)) {
    throw invalidField(['when'], 'field_is is not available');
  }
  const [{ when } = body] = await withCurrentCategories([{ when: body.when }]);
  return { ...body, when };
};

/** @param seed as in `createOnce`. @throws 400 when there are too many. */
export const createRule = (body: RuleBody, seed?: string): Promise<Rule> =>
  createOnce('rul', seed, {
    find: rules.find,
    create: async (id) => {
      const rule: RuleRecord = {
        ...(await resolved(body)),
        id,
        version: 1,
        reason: body.reason ?? null,
        note: body.note ?? null,
      };
      await rules.insert(rule);
      return rule;
    },
  });

/** @throws 404. */
export const getRule = async (id: string): Promise<RuleRecord> => {
  const rule = await rules.find(id);
  if (!rule) throw notFound();
  return rule;
};

/** Changes the given fields of a rule. @throws 404. */
export const updateRule = (id: string, body: RuleUpdate): Promise<Rule> =>
  retryOnConflict(async () => {
    const previous = await getRule(id);
    const { when } = await resolved(body);
    const next: RuleRecord = {
      id,
      version: previous.version + 1,
      name: body.name ?? previous.name,
      is_active: body.is_active ?? previous.is_active,
      order: body.order ?? previous.order,
      when: when ?? previous.when,
      action: body.action ?? previous.action,
      reason: body.reason === undefined ? previous.reason : body.reason,
      note: body.note === undefined ? previous.note : body.note,
    };
    await rules.replace(previous, next);
    return next;
  });

/** @throws 404. */
export const removeRule = async (id: string): Promise<string> => {
  if (!(await rules.remove(id))) throw notFound();
  return id;
};

/** Ids sort by position, which decides between rules of the same order. */
const simulatedRule = (rule: Simulation['rules'][number], position: number): RuleRecord => ({
  ...rule,
  id: String(position).padStart(3, '0'),
  version: 1,
  reason: rule.reason ?? null,
  note: rule.note ?? null,
});

/** What rules would have done with the latest submissions. Writes nothing. @throws 504 when the time does not suffice. */
export const simulateRules = async ({ rules: given, last }: Simulation): Promise<SimulationResult> => {
  const directory = await catalogToCompare();
  const submissions = directory.lastCreated(last).map(({ project }) => project);
  const submitters = await findUsers([...new Set(submissions.map(({ owner_id }) => owner_id))]);
  const simulated = await withCurrentCategories(given.map(simulatedRule));
  const fields = await currentFields();
  const counts: Record<SimulatedOutcome, number> = { approve: 0, reject: 0, hold: 0, none: 0 };
  const items: SimulationResult['items'] = [];
  for (const project of submissions) {
    await nextIteration();
    mustHaveTime();
    const submitter = submitters.get(project.owner_id);
    const decision =
      submitter &&
      (await decideByRules(
        simulated,
        { ...project, fields, submitter, at: project.created_at, catalog: () => Promise.resolve(directory) },
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
