import { ERASED_USER } from '#model/user.ts';
import { deliveryIdOf, withEvent } from '#model/webhook.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { ConflictError, retryOnConflict } from './conflict.ts';
import { deadLettersAfter, replaceDeadEvent } from './dead-letters.ts';
import { fromJsonText, toJsonText } from './json-text.ts';
import { userKey } from './keys.ts';
import { mentionedUsers, mentionPages } from './mentions.ts';
import { findItems, findItemsBy, type Item, keyOf } from './read.ts';
import { isErased } from './users.ts';
import { findDelivery, replaceDelivery, webhooks } from './webhooks.ts';
import { deleteItem, exists, updateItem } from './write.ts';

// What the event log and the audit log say about erased users, and the copies of events: deliveries to webhooks and dead
// letters.

/** The time of a run of the erasure is up; the task is delivered again. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
}

const LETTERS_PER_PAGE = 100;

/** The members of an event's data without the user; words are removed where the user wrote them or they are about the user. */
const dataWithoutUser = (data: Item, userId: string, isActor: boolean, keepsProjects: boolean): Item => {
  const isOwner = data.owner_id === userId;
  const isUser = data.user_id === userId;
  return {
    ...data,
    ...(isOwner && { owner_id: ERASED_USER }),
    ...(isUser && { user_id: ERASED_USER }),
    ...(data.previous_owner_id === userId && { previous_owner_id: ERASED_USER }),
    ...((isActor || isUser) && typeof data.content === 'string' && { content: '' }),
    // The reason of a refund is one of the provider's words, and all other reasons are texts.
    ...((isActor || isUser) && 'reason' in data && !('amount_refunded' in data) && { reason: null }),
    ...(isOwner && !keepsProjects && { name: '', slug: '', url: '' }),
  };
};

/** The event or task without a user. @param keepsProjects whether the user's projects stay, and with them their names. */
const messageWithoutUser = <M extends object>(message: M, userId: string, keepsProjects: boolean): M => {
  const { actor_id, data } = message as Item;
  const isActor = actor_id === userId;
  return {
    ...message,
    actor_id: isActor ? null : actor_id,
    data: dataWithoutUser((data ?? {}) as Item, userId, isActor, keepsProjects),
  };
};

/** The task of an erasure names the user whose data it deletes, so it keeps the id until it has succeeded. */
const isErasure = (message: object): boolean => (message as Item).kind === 'userErased';

/**
 * An event, or a task, as it may be sent now: without the users who have been erased since it was published. Copies of an
 * event are on the bus and in queues, where an erasure cannot change them.
 * @returns the same object when there are none.
 */
export const withoutErasedUsers = async <M extends object>(message: M): Promise<M> => {
  if (isErasure(message)) return message;
  let without = message;
  for (const [userId, user] of await findItemsBy(mentionedUsers(message as Item), userKey)) {
    if (isErased(user)) without = messageWithoutUser(without, userId, user.projects_deleted !== true);
  }
  return without;
};

/** Replaces the id of a user everywhere in a value. */
const withoutUser = (value: unknown, userId: string): unknown => {
  if (typeof value === 'string') return value.replaceAll(userId, ERASED_USER);
  if (Array.isArray(value)) return value.map((one) => withoutUser(one, userId));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [withoutUser(name, userId), withoutUser(member, userId)]),
  );
};

/** The id leaves everything; the input leaves the changes by the user or of the user. */
const auditEntryWithoutUser = (item: Item, userId: string) => {
  const isActor = item.actor_id === userId;
  const subjects = (item.subjects ?? []) as string[];
  const hasWords = isActor || subjects.some((subject) => subject.includes(userId));
  const isListed = String(item.collection_pk ?? '').includes(userId);
  return {
    set: {
      actor_id: isActor ? ERASED_USER : item.actor_id,
      address: isActor ? null : (item.address ?? null),
      subjects: withoutUser(subjects, userId),
      input: hasWords ? null : toJsonText(withoutUser(fromJsonText(item.input), userId)),
    },
    ...(isListed && { remove: ['collection_pk', 'collection_sk'] }),
  };
};

const removeFromEntry = async (item: Item, userId: string, keepsProjects: boolean): Promise<void> => {
  if (!JSON.stringify(item).includes(userId)) return;
  const { actor_id, data } = messageWithoutUser(item, userId, keepsProjects);
  const change = item.type === 'audit' ? auditEntryWithoutUser(item, userId) : { set: { actor_id, data } };
  // An entry that has expired meanwhile is not created again.
  await updateItem(keyOf(item), change, exists);
};

const removeFromDelivery = (webhookId: string, eventId: string, userId: string, keepsProjects: boolean) =>
  retryOnConflict(async () => {
    const delivery = await findDelivery(webhookId, deliveryIdOf(eventId));
    if (!delivery || !mentionedUsers({ ...delivery.event }).includes(userId)) return;
    const next = withEvent(delivery, messageWithoutUser(delivery.event, userId, keepsProjects));
    if (!(await replaceDelivery(delivery, next))) throw new ConflictError('The delivery was changed concurrently.');
  });

/**
 * Removes a user from stored events, tasks and the audit log, from the deliveries of the events and from dead letters,
 * with the words that they contain. A run that is interrupted has processed some mentions, which the next one does not find
 * any more.
 * @param keepsProjects whether the user's projects stay, and with them their names in events.
 * @param until by the monotonic clock, in milliseconds.
 * @throws {TimeUp} when the time is up first.
 */
export const removeUserFromLogs = async (userId: string, keepsProjects: boolean, until: number): Promise<void> => {
  const webhookIds = (await webhooks.all()).map(({ id }) => id);
  for await (const mentions of mentionPages(userId)) {
    const { isComplete } = await mapConcurrently(
      mentions,
      async ({ key, entries }) => {
        const stored = (await findItems(entries)).filter((item) => item !== undefined);
        await Promise.all(stored.map((item) => removeFromEntry(item, userId, keepsProjects)));
        const eventIds = stored.filter(({ type }) => type === 'event').map(({ id }) => String(id));
        await Promise.all(
          eventIds.flatMap((eventId) =>
            webhookIds.map((webhookId) => removeFromDelivery(webhookId, eventId, userId, keepsProjects)),
          ),
        );
        // Last, so that the next run finds an entry that this one did not reach.
        await deleteItem(key);
      },
      { until },
    );
    if (!isComplete) throw new TimeUp();
  }
  for await (const letter of deadLettersAfter(undefined, LETTERS_PER_PAGE)) {
    if (performance.now() >= until) throw new TimeUp();
    if (isErasure(letter.event) || !mentionedUsers(letter.event).includes(userId)) continue;
    await replaceDeadEvent(letter.id, messageWithoutUser(letter.event, userId, keepsProjects));
  }
};
