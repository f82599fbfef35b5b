import { findRule, ruleApplication } from '#data/rules.ts';
import type { Write } from '#data/write.ts';
import { type Message, newMessage } from '#events/catalogue.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';
import type { RuleDecision } from '#model/rule.ts';
import { moderationEvents } from '#services/projects/moderation-events.ts';

/** Whether a rule is still as it was when it decided about a submission that was paid for since. */
export const isUnchanged = async ({ id, version }: RuleDecision['rule']): Promise<boolean> => {
  const rule = await findRule(id);
  return rule?.is_active === true && rule.version === version;
};

/** A submission after its rule: the record, and what its transaction writes beside it. */
export interface AppliedDecision {
  readonly next: ProjectRecord;
  readonly origin: ChangeOrigin;
  readonly messages: readonly Message[];
  readonly writes: readonly Write[];
}

const statusOf = { hold: 'pending', approve: 'live', reject: 'rejected' } as const;

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
    ...pending,
    status: statusOf[action],
    published_at: action === 'approve' ? (pending.published_at ?? pending.updated_at) : pending.published_at,
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
