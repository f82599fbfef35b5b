import { eventKinds } from '#contract/events.ts';
import { ERASED_USER } from '#model/user.ts';
import { deliveryIdOf, withEvent } from '#model/webhook.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { ConflictError, retryOnConflict } from './conflict.ts';
import { deadLettersAfter, findDeadLetter, replaceDeadEvent } from './dead-letters.ts';
import { fromJsonText, toJsonText } from './json-text.ts';
import { type Key, userKey } from './keys.ts';
import { mentionedUsers, mentionPages } from './mentions.ts';
import { findItem, findItemsBy, type Item } from './read.ts';
import { isErased } from './users.ts';
import { findDelivery, replaceDelivery, webhooks } from './webhooks.ts';
import { areAsIn, type Change, deleteItem, every, exists, updateItem } from './write.ts';

// Erased users leave the event log, the audit log, and the copies of events that are stored to be sent: deliveries to
// webhooks and dead letters.

/** The time of a run of the erasure is up; the task is delivered again. */
export class TimeUp extends Error {
  override readonly name = 'TimeUp';
}

const LETTERS_PER_PAGE = 100;

const changedConcurrently = () => new ConflictError('It was changed concurrently.');

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
    // The name of an API key, by who created it.
    ...(isActor && 'key_id' in data && { name: '' }),
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

/** Tasks have no words, and need the ids in them. */
const isTask = (message: object): boolean => !(String((message as Item).kind) in eventKinds);

/**
 * An event as it may be sent now: without the users who have been erased since it was published. The bus and queues have
 * copies of events that an erasure cannot change.
 * @returns the same object when there are none, and for a task.
 */
export const withoutErasedUsers = async <M extends object>(message: M): Promise<M> => {
  if (isTask(message)) return message;
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

const entryWithoutUser = (item: Item, userId: string, keepsProjects: boolean): Change => {
  if (item.type === 'audit') return auditEntryWithoutUser(item, userId);
  const { actor_id, data } = messageWithoutUser(item, userId, keepsProjects);
  return { set: { actor_id, data } };
};

/** Removes a user from an entry of a log. @returns the entry before; undefined when it has expired. */
const removeFromEntry = (key: Key, userId: string, keepsProjects: boolean): Promise<Item | undefined> =>
  retryOnConflict(async () => {
    const item = await findItem(key);
    if (!item || !JSON.stringify(item).includes(userId)) return item;
    const change = entryWithoutUser(item, userId, keepsProjects);
    // Another user may be removed from it at the same time.
    const isUnchanged = every(exists, areAsIn(item, Object.keys(change.set ?? {})));
    if (!(await updateItem(key, change, isUnchanged))) throw changedConcurrently();
    return item;
  });

/** The bodies of all attempts go: a receiver may have repeated what an attempt before the erasure sent. */
const removeFromDelivery = (
  webhookId: string,
  eventId: string,
  userId: string,
  keepsProjects: boolean,
): Promise<void> =>
  retryOnConflict(async () => {
    const delivery = await findDelivery(webhookId, deliveryIdOf(eventId));
    if (!delivery) return;
    const next = withEvent(delivery, messageWithoutUser(delivery.event, userId, keepsProjects));
    if (!(await replaceDelivery(delivery, next))) throw changedConcurrently();
  });

const removeFromDeadLetter = (letterId: string, userId: string, keepsProjects: boolean): Promise<void> =>
  retryOnConflict(async () => {
    const letter = await findDeadLetter(letterId);
    if (!letter) return;
    const event = messageWithoutUser(letter.event, userId, keepsProjects);
    if (!(await replaceDeadEvent(letter, event))) throw changedConcurrently();
  });

/**
 * Removes a user from stored events, tasks and the audit log, from the deliveries of the events and from dead letters of
 * events, with the words that they contain. A run that is interrupted has processed some mentions, which the next one does
 * not find any more.
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
        const stored = await Promise.all(entries.map((entry) => removeFromEntry(entry, userId, keepsProjects)));
        const events = stored.filter((item) => item?.type === 'event');
        await Promise.all(
          events.flatMap((event) =>
            webhookIds.map((webhookId) => removeFromDelivery(webhookId, String(event?.id), userId, keepsProjects)),
          ),
        );
        // Last, so that the next run finds an entry that this one did not reach.
        await deleteItem(key);
      },
      { until },
    );
    if (!isComplete) throw new TimeUp();
  }
  for await (const { id, event } of deadLettersAfter(undefined, LETTERS_PER_PAGE)) {
    if (performance.now() >= until) throw new TimeUp();
    if (isTask(event) || !mentionedUsers(event).includes(userId)) continue;
    await removeFromDeadLetter(id, userId, keepsProjects);
  }
};
