import * as z from 'zod';
import { type EventKind, eventKinds } from '#contract/events.ts';
import { Timestamp } from '#contract/fields.ts';

/**
 * What travels over the bus. Events are what other systems are told; their kinds and schemas stand in the contract. Each
 * change writes its event in the transaction of the change, and the table's stream puts it on the bus; a subscriber may see
 * one twice and must not act twice.
 */

/**
 * Work that one part of the service leaves to another, to be finished however often it is started. Nobody outside is
 * told, and the ledger does not show it.
 */
export const taskKinds = {
  projectPurged: z.object({ project_id: z.string(), slugs: z.array(z.string()) }),
  refundDue: z.object({ checkout_id: z.string() }),
  userErased: z.object({ user_id: z.string(), projects: z.enum(['keep', 'delete']) }),
  categoryRemoved: z.object({ category_id: z.string(), slug: z.string() }),
  categoryRenamed: z.object({ category_id: z.string(), from: z.string(), to: z.string() }),
} as const satisfies Record<string, z.ZodType>;

export type TaskKind = keyof typeof taskKinds;
export type MessageKind = EventKind | TaskKind;

type Schemas = typeof eventKinds & typeof taskKinds;

/** The data of a kind. */
export type MessageData<K extends MessageKind> = z.infer<Schemas[K]>;

/** Where messages on the bus come from: events for everybody, tasks for ourselves. */
export const SOURCE = 'directory';
export const TASK_SOURCE = 'directory.tasks';

/** The source that a kind is put on the bus with. */
export const sourceOf = (kind: MessageKind): string => (kind in eventKinds ? SOURCE : TASK_SOURCE);

/** A message as it travels: the `detail` on the bus and the record in the ledger. */
export type Message<K extends MessageKind = MessageKind> = {
  [One in K]: {
    /** `evt_` and a ULID. */
    readonly id: string;
    readonly kind: One;
    readonly occurred_at: string;
    /** Who caused it; null for the service itself. */
    readonly actor_id: string | null;
    readonly data: MessageData<One>;
  };
}[K];

/** Checks what arrives. @throws when it is not a message of this version. */
export const readMessage = (detail: unknown): Message => {
  const head = z
    .object({
      id: z.string(),
      kind: z.enum([...Object.keys(eventKinds), ...Object.keys(taskKinds)] as [MessageKind, ...MessageKind[]]),
      occurred_at: Timestamp,
      actor_id: z.string().nullable(),
      data: z.unknown(),
    })
    .parse(detail);
  const schema = { ...eventKinds, ...taskKinds }[head.kind] as z.ZodType;
  return { ...head, data: schema.parse(head.data) } as Message;
};
