import type { Rule } from '#contract/rules.ts';

/** The most rules that a directory can have. */
export const RULES_MAX = 100;

/** A rule as stored. `version` increases with every write. */
export type RuleRecord = Rule;

/** The order in which rules are tried. */
export const byOrder = (one: RuleRecord, other: RuleRecord): number =>
  one.order - other.order || (one.id < other.id ? -1 : 1);

/** What a rule decided about a submission. */
export interface RuleDecision {
  readonly rule: Pick<RuleRecord, 'id' | 'version' | 'name' | 'reason'>;
  /** `hold` in place of the rule's own action for a paid submission that it would reject, and for a rule that failed. */
  readonly action: RuleRecord['action'];
  /** Whether the rule could not be evaluated. */
  readonly hasFailed: boolean;
}
