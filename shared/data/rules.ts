import { RULES_MAX, type RuleDecision, type RuleRecord } from '#model/rule.ts';
import { invalidField } from '#shared/errors.ts';
import { ruleEntryItem } from './audit.ts';
import { collection } from './collection.ts';
import { ruleCountKey, ruleKey, rulePrefix, rulesPartition } from './keys.ts';
import { isBelow, type Write } from './write.ts';

const stored = collection<RuleRecord>({
  type: 'rule',
  partition: rulesPartition,
  prefix: rulePrefix,
  keyOf: ruleKey,
});

// The number of rules is an item of its own: a condition on it keeps concurrent requests within the limit.
const countRules = (change: 1 | -1): Write => ({
  update: ruleCountKey,
  change: { set: { type: 'ruleCount' }, add: { rules: change } },
  ...(change > 0 && {
    when: isBelow('rules', RULES_MAX),
    orElse: () => invalidField([], `there are ${RULES_MAX} rules already`),
  }),
});

export const rules = {
  ...stored,
  /** Inserts a rule. @throws 400 when there are `RULES_MAX` already. */
  insert: (rule: RuleRecord): Promise<void> => stored.insert(rule, countRules(1)),
  /** Deletes a rule. @returns whether it existed. */
  remove: (id: string): Promise<boolean> => stored.remove(id, countRules(-1)),
};

/** The audit log entry of a decision, for the transaction of the submission. */
export const ruleApplication = (projectId: string, decision: RuleDecision): readonly Write[] => [
  { put: ruleEntryItem(projectId, decision) },
];
