import * as z from 'zod';
import { cursorPage, cursorParameters, data, deleted, Timestamp } from './fields.ts';
import { adminOnly, defineRoute } from './route.ts';

/** An event that a subscriber could not process. */
export const DeadLetter = z
  .object({
    id: z.string().describe('`ltr_` and a ULID of the time of failure.'),
    subscriber: z.string().describe('The subscriber that failed, such as `mail.notifySubmitter`.'),
    kind: z.string().describe('The kind of the event or internal task.'),
    event_id: z.string().nullable().describe('Null for events of other services, such as bounces of mail.'),
    failed_at: Timestamp,
    error: z.string().nullable().describe('Why the last attempt failed.'),
    event: z
      .record(z.string(), z.unknown())
      .describe('The event as it was published, without users who have been erased since.'),
  })
  .meta({ id: 'DeadLetter' });
export type DeadLetter = z.infer<typeof DeadLetter>;

// Administrators only: dead letters hold the data of all events and tasks.

export const list = defineRoute('deadLetters.list', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/dead-letters',
  summary: 'List the dead letters',
  description:
    'Events that a subscriber failed to process in every attempt, the latest failure first; kept for 14 days. They arrive within five minutes. A page may be shorter than `limit` when its events are large.',
  query: z.object(cursorParameters('ltr')),
  responses: { 200: cursorPage(DeadLetter) },
  permissions: ['table:query'],
});

export const replay = defineRoute('deadLetters.replay', {
  ...adminOnly,
  method: 'POST',
  path: '/api/admin/dead-letters/{letter}/replay',
  summary: 'Replay a dead letter',
  description:
    'Sends the event again, to the subscriber that failed and to no other, and removes the letter. Subscribers process an event once, also when it is replayed twice. If it fails again, it returns as a new letter. 409 `INVALID_TRANSITION` when the subscriber no longer exists or its feature is off.',
  responses: { 202: data(z.object({ id: z.string(), subscriber: z.string() }).meta({ id: 'ReplayedLetter' })) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'bus'],
  writes: ['dead-letters'],
});

export const remove = defineRoute('deadLetters.remove', {
  ...adminOnly,
  method: 'DELETE',
  path: '/api/admin/dead-letters/{letter}',
  summary: 'Delete a dead letter',
  description: 'For events that are no longer needed.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: [],
  writes: ['dead-letters'],
});
