import { setImmediate as nextIteration } from 'node:timers/promises';
import type { RuleConditions } from '#contract/rules.ts';
import { catalogToCompare } from '#data/catalog.ts';
import { mergedCategories } from '#data/categories.ts';
import { currentFields } from '#data/custom-fields.ts';
import { ruleApplication, rules } from '#data/rules.ts';
import type { Write } from '#data/write.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import { hasAdminRights } from '#model/policy.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import { byOrder, type RuleDecision, type RuleRecord } from '#model/rule.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { mustHaveTime } from '#platform/time-limit.ts';
import { approvedProject, moderationEvents } from './change.ts';
import { examine, matches, type Submitted } from './rule-conditions.ts';

const withReplaced = (when: RuleConditions, aliases: ReadonlyMap<string, string | null>): RuleConditions => {
  const replaced = (conditions: RuleConditions['all']) =>
    conditions?.map((condition) =>
      condition.category_in
        ? { category_in: [...new Set(condition.category_in.map((slug) => aliases.get(slug) ?? slug))] }
        : condition,
    );
  const { all, any } = when;
  return { ...(all && { all: replaced(all) }), ...(any && { any: replaced(any) }) };
};

/** Rules with the current categories in place of merged ones. */
export const withCurrentCategories = async <R extends { readonly when: RuleConditions }>(
  given: readonly R[],
): Promise<readonly R[]> => {
  const conditions = given.flatMap(({ when: { all = [], any = [] } }) => [...all, ...any]);
  if (!conditions.some(({ category_in }) => category_in)) return given;
  const aliases = new Map((await mergedCategories()).map(({ slug, current }) => [slug, current]));
  return aliases.size === 0 ? given : given.map((rule) => ({ ...rule, when: withReplaced(rule.when, aliases) }));
};

const decisionOf = (
  { id, version, name, reason }: RuleRecord,
  action: RuleRecord['action'],
  hasFailed: boolean,
): RuleDecision => ({ rule: { id, version, name, reason }, action, hasFailed });

/**
 * What the first active rule that matches a submission decides; undefined when none matches or the submitter is an
 * administrator. A rule that fails is reported and holds the submission. The application and the simulation of rules both
 * call this. Other requests have their turn after each rule.
 * @throws 504 when the time of the request is nearly over.
 */
export const decideByRules = async (
  candidates: readonly RuleRecord[],
  submitted: Submitted,
  report: (rule: RuleRecord, error: unknown) => void,
): Promise<RuleDecision | undefined> => {
  if (hasAdminRights(submitted.submitter)) return undefined;
  const examined = examine(submitted);
  for (const rule of candidates.filter(({ is_active }) => is_active).toSorted(byOrder)) {
    await nextIteration();
    mustHaveTime();
    try {
      if (!(await matches(rule.when, examined))) continue;
      // A paid submission is held instead of rejected: a person decides before money is taken.
      const isPaid = submitted.plan === 'premium';
      return decisionOf(rule, rule.action === 'reject' && isPaid ? 'hold' : rule.action, false);
    } catch (error) {
      report(rule, error);
      return decisionOf(rule, 'hold', true);
    }
  }
  return undefined;
};

const reportFailure = ({ id, version }: RuleRecord, error: unknown): void => {
  count('RuleFailed');
  log.error('a rule failed and holds the submission', { rule_id: id, version, error });
};

/** What the stored rules decide about a submission. */
export const decideSubmission = async (
  submitted: Omit<Submitted, 'catalog' | 'fields'>,
): Promise<RuleDecision | undefined> => {
  const current = await withCurrentCategories(await rules.all());
  return await decideByRules(
    current,
    { ...submitted, fields: await currentFields(), catalog: () => catalogToCompare('now') },
    reportFailure,
  );
};

/** Whether a rule is still as it was when it decided about a submission that was paid for since. */
export const isUnchanged = async ({ id, version }: RuleDecision['rule']): Promise<boolean> => {
  const rule = await rules.find(id);
  return rule?.is_active === true && rule.version === version;
};

/** A submission after its rule: the record, and what its transaction writes beside it. */
interface AppliedDecision {
  readonly next: ProjectRecord;
  readonly origin: ChangeOrigin;
  readonly messages: readonly Message[];
  readonly writes: readonly Write[];
}

/** Applies a decision to a pending submission. @param submitted its origin, which a decision of a rule replaces. */
export const applyDecision = (
  pending: ProjectRecord,
  decision: RuleDecision | undefined,
  submitted: ChangeOrigin,
): AppliedDecision => {
  if (!decision) {
    const next: ProjectRecord = { ...pending, rule_id: null, rule_name: null, rule_action: null };
    return {
      next,
      messages: [newMessage('projectSubmitted', submitted.actorId, projectEventData(next))],
      origin: submitted,
      writes: [],
    };
  }
  const { rule, action, hasFailed } = decision;
  const next: ProjectRecord = {
    ...(action === 'approve' ? approvedProject(pending, pending.updated_at) : pending),
    ...(action === 'reject' && { status: 'rejected' }),
    rejection_reason: action === 'reject' ? rule.reason : null,
    rule_id: rule.id,
    rule_name: rule.name,
    rule_action: action,
  };
  const data = projectEventData(next);
  return {
    next,
    origin: action === 'hold' ? submitted : { cause: 'rule', actorId: null },
    messages: [
      newMessage('projectSubmitted', submitted.actorId, data),
      ...moderationEvents(null, pending, next),
      newMessage('ruleApplied', null, {
        ...data,
        rule_id: rule.id,
        rule_name: rule.name,
        rule_version: rule.version,
        action,
        has_failed: hasFailed,
      }),
    ],
    writes: ruleApplication(next.id, decision),
  };
};
