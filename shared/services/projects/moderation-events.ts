import { type Message, newMessage } from '#events/catalogue.ts';
import { type ProjectRecord, projectEventData } from '#model/project.ts';

/**
 * The event of a moderation: a pending project is approved or rejected. None for other transitions and deleted projects.
 * @param actorId null for a rule.
 */
export const moderationEvents = (actorId: string | null, current: ProjectRecord, next: ProjectRecord): Message[] => {
  if (current.status !== 'pending' || next.status === 'pending' || next.deleted_at !== null) return [];
  const data = projectEventData(next);
  return next.status === 'live'
    ? [newMessage('projectApproved', actorId, data)]
    : [newMessage('projectRejected', actorId, { ...data, reason: next.rejection_reason })];
};
