import * as z from 'zod';
import { type EventKind, eventKinds } from '#contract/events.ts';
import { Timestamp } from '#contract/fields.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

// Messages on the bus. Events are public; their kinds and schemas are in the contract. Tasks are internal. A message is
// written to the outbox in the transaction of the change that it reports. The table's stream publishes it at least once,
// so subscribers must be idempotent.

/** Internal follow-up work of a change. Tasks are not in the event log and are not sent to webhooks. */
export const taskKinds = {
  projectPurged: z.object({ project_id: z.string(), slugs: z.array(z.string()) }),
  // A part is refunded once per id; without one, what is left of the payment.
  refundDue: z.object({
    checkout_id: z.string(),
    part: z.object({ id: z.string(), amount: z.int().min(1) }).optional(),
  }),
  userErased: z.object({ user_id: z.string(), projects: z.enum(['keep', 'delete']) }),
  categoryRemoved: z.object({ category_id: z.string(), slug: z.string(), batch_id: z.string() }),
  categoryMerged: z.object({ category_id: z.string(), slug: z.string(), batch_id: z.string() }),
  categoryRenamed: z.object({ category_id: z.string(), from: z.string(), to: z.string() }),
  revertDue: z.object({ batch_id: z.string() }),
  importDue: z.object({ import_id: z.string() }),
  batchEnded: z.object({ batch_id: z.string() }),
  voteCaseDecided: z.object({ project_id: z.string(), case_id: z.string() }),
  webhookReplayDue: z.object({ webhook_id: z.string(), since: Timestamp }),
  // Starts a job; `jobs.ts` has its rules.
  jobDue: z.object({ job: z.string() }),
} as const satisfies Record<string, z.ZodType>;

type TaskKind = keyof typeof taskKinds;
export type MessageKind = EventKind | TaskKind;

type Schemas = typeof eventKinds & typeof taskKinds;

export type MessageData<K extends MessageKind> = z.infer<Schemas[K]>;

/** The `source` of events and of tasks on the bus. */
export const SOURCE = 'directory';
export const TASK_SOURCE = 'directory.tasks';
/** The `source` of events that are sent again to one subscriber, whose id is the `detail-type`. */
export const REPLAY_SOURCE = 'directory.replays';

export const sourceOf = (kind: MessageKind): string => (kind in eventKinds ? SOURCE : TASK_SOURCE);

/** The `detail` of a message on the bus, and its record in the event log. */
export type Message<K extends MessageKind = MessageKind> = {
  [One in K]: {
    /** `evt_` and a ULID. */
    readonly id: string;
    readonly kind: One;
    readonly occurred_at: string;
    /** The user who caused it; null for the service itself. */
    readonly actor_id: string | null;
    readonly data: MessageData<One>;
  };
}[K];

/** Parses and validates a message. @throws ZodError. */
export const parseMessage = (detail: unknown): Message => {
  const message = z
    .object({
      id: z.string(),
      kind: z.enum([...Object.keys(eventKinds), ...Object.keys(taskKinds)] as [MessageKind, ...MessageKind[]]),
      occurred_at: Timestamp,
      actor_id: z.string().nullable(),
      data: z.unknown(),
    })
    .parse(detail);
  const schema = { ...eventKinds, ...taskKinds }[message.kind] as z.ZodType;
  return { ...message, data: schema.parse(message.data) } as Message;
};

/** A new message, to be written in the transaction of the change that it reports. */
export const newMessage = <K extends MessageKind>(
  kind: K,
  actorId: string | null,
  data: MessageData<K>,
): Message<K> => {
  // Taken first: a search from the time of an event on, which compares ids, must include the event.
  const occurred_at = now();
  return { id: newId('evt'), kind, occurred_at, actor_id: actorId, data };
};
