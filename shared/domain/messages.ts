import type { Message, MessageData, MessageKind } from '#events/catalogue.ts';

/** What every verb that changes something needs: the time and new ids. */
export interface Workshop {
  /** ISO 8601 in UTC with milliseconds. */
  readonly now: () => string;
  readonly newId: (kind: 'prj' | 'cat' | 'cmt' | 'evt' | 'bat' | 'rep' | 'chk' | 'pay' | 'prm') => string;
}

/** Says that something happened, to be written in the transaction of what happened. */
export const message = <K extends MessageKind>(
  workshop: Workshop,
  kind: K,
  actorId: string | null,
  data: MessageData<K>,
): Message<K> => ({ id: workshop.newId('evt'), kind, occurred_at: workshop.now(), actor_id: actorId, data });
