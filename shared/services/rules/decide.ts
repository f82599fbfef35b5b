import { catalogToCompare } from '#data/catalog.ts';
import { allRules } from '#data/rules.ts';
import { hasAdminRights } from '#model/policy.ts';
import { byOrder, type RuleDecision, type RuleRecord } from '#model/rule.ts';
import { log } from '#platform/log.ts';
import { count } from '#platform/metrics.ts';
import { matches, type Submitted } from './conditions.ts';
import { withCurrentCategories } from './current-categories.ts';

const decisionOf = (
  { id, version, name, reason }: RuleRecord,
  action: RuleRecord['action'],
  hasFailed: boolean,
): RuleDecision => ({ rule: { id, version, name, reason }, action, hasFailed });

/**
 * What the first active rule that matches a submission decides; undefined when none matches or the submitter is an
 * administrator. A rule that fails is reported and holds the submission. The application and the simulation of rules both
 * call this.
 */
export const decideByRules = async (
  rules: readonly RuleRecord[],
  submitted: Submitted,
  report: (rule: RuleRecord, error: unknown) => void,
): Promise<RuleDecision | undefined> => {
  if (hasAdminRights(submitted.submitter)) return undefined;
  for (const rule of rules.filter(({ is_active }) => is_active).toSorted(byOrder)) {
    try {
      if (!(await matches(rule.when, submitted))) continue;
      // Money is not taken for a listing that no person has looked at.
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
export const decideSubmission = async (submitted: Omit<Submitted, 'catalog'>): Promise<RuleDecision | undefined> => {
  const rules = await withCurrentCategories(await allRules());
  return await decideByRules(rules, { ...submitted, catalog: () => catalogToCompare('now') }, reportFailure);
};
