import * as z from 'zod';
import { Timestamp } from '#contract/fields.ts';
import { Plan, Status } from '#contract/projects.ts';

/** What every event about a project says of it. */
const ProjectFacts = z.object({
  project_id: z.string(),
  slug: z.string(),
  name: z.string(),
  url: z.string(),
  plan: Plan,
  status: Status,
  owner_id: z.string(),
});

/**
 * Everything that other systems are told. Each change writes its event in the transaction of the change, and the table's
 * stream puts it on the bus; a subscriber may see one twice and must not act twice.
 */
export const eventKinds = {
  projectSubmitted: ProjectFacts.describe('A project waits for moderation, new or again.'),
  projectApproved: ProjectFacts.describe('A pending project went live.'),
  projectRejected: ProjectFacts.extend({ reason: z.string().nullable() }).describe(
    'A pending project was turned down.',
  ),
  projectUpdated: ProjectFacts.extend({
    changed: z.array(z.string()).describe('Names of the fields that changed.'),
  }).describe('Fields of a project changed.'),
  projectDeleted: ProjectFacts.extend({
    permanent: z.boolean().describe('False while an administrator can restore it.'),
  }).describe('A project was deleted.'),
  commentCreated: z
    .object({ comment_id: z.string(), project_id: z.string(), user_id: z.string(), content: z.string() })
    .describe('Somebody commented on a project.'),
} as const satisfies Record<string, z.ZodType>;

/**
 * Work that one part of the service leaves to another, to be finished however often it is started. Nobody outside is
 * told, and the ledger does not show it.
 */
export const taskKinds = {
  projectPurged: z.object({ project_id: z.string(), slugs: z.array(z.string()) }),
  categoryRemoved: z.object({ category_id: z.string(), slug: z.string() }),
  categoryRenamed: z.object({ category_id: z.string(), from: z.string(), to: z.string() }),
} as const satisfies Record<string, z.ZodType>;

export type EventKind = keyof typeof eventKinds;
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
