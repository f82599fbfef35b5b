import { RULES_MAX, type RuleDecision, type RuleRecord } from '#model/rule.ts';
import { invalidField } from '#shared/errors.ts';
import { ruleEntryItem } from './audit.ts';
import { type Key, ruleCountKey, ruleKey, rulePrefix, rulesPartition } from './keys.ts';
import { findItem, type Item, inKeyOrder, orNull, wholeCollection } from './read.ts';
import { absent, ConditionFailed, every, exists, is, isBelow, transact, type Write } from './write.ts';

const ruleItem = (rule: RuleRecord): Item & Key => ({ ...ruleKey(rule.id), type: 'rule', ...rule });

const ruleOf = (item: Item): RuleRecord => ({
  id: String(item.id),
  version: Number(item.version),
  name: String(item.name),
  is_active: item.is_active === true,
  order: Number(item.order),
  when: inKeyOrder(item.when) as RuleRecord['when'],
  action: item.action as RuleRecord['action'],
  reason: orNull(item.reason),
  note: orNull(item.note),
});

/** All rules, strongly consistent. There are few enough to read them together. */
export const allRules = async (): Promise<RuleRecord[]> =>
  (await wholeCollection({ partition: rulesPartition, prefix: rulePrefix })).map(ruleOf);

/** Reads a rule, strongly consistent. */
export const findRule = async (id: string): Promise<RuleRecord | undefined> => {
  const item = await findItem(ruleKey(id));
  return item && ruleOf(item);
};

// The number of rules is an item of its own: a condition on it keeps concurrent requests within the limit.
const countRules = (change: 1 | -1): Write => ({
  update: ruleCountKey,
  change: { set: { type: 'ruleCount' }, add: { rules: change } },
  ...(change > 0 && {
    when: isBelow('rules', RULES_MAX),
    orElse: () => invalidField([], `there are ${RULES_MAX} rules already`),
  }),
});

/** Inserts a rule. @throws 400 when there are `RULES_MAX` already. */
export const insertRule = (rule: RuleRecord): Promise<void> =>
  transact([{ put: ruleItem(rule), when: absent }, countRules(1)]);

/** Replaces a rule. @throws {ConditionFailed} when it was changed or deleted concurrently. */
export const replaceRule = (previous: RuleRecord, next: RuleRecord): Promise<void> =>
  transact([{ put: ruleItem(next), when: every(exists, is('version', previous.version)) }]);

/** Deletes a rule. @returns whether it existed. */
export const deleteRule = async (id: string): Promise<boolean> => {
  try {
    await transact([{ delete: ruleKey(id), when: exists }, countRules(-1)]);
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
};

/** The audit log entry of a decision, for the transaction of the submission. */
export const ruleApplication = (projectId: string, decision: RuleDecision): readonly Write[] => [
  { put: ruleEntryItem(projectId, decision) },
];
