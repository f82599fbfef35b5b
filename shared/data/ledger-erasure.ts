import { ERASED_USER } from '#model/user.ts';
import { TimeUp } from './erasure.ts';
import { hasUnindexedEntries, ledgerPages } from './ledgers.ts';
import { mentionPages } from './mentions.ts';
import { findItems, type Item, keyOf } from './read.ts';
import { deleteItem, exists, updateItem } from './write.ts';

/** The members of an event's data without the user; words are removed where the user wrote them or they are about the user. */
const dataWithoutUser = (data: Item, userId: string, isActor: boolean, keepsProjects: boolean): Item => {
  const isOwner = data.owner_id === userId;
  const isUser = data.user_id === userId;
  return {
    ...data,
    ...(isOwner && { owner_id: ERASED_USER }),
    ...(isUser && { user_id: ERASED_USER }),
    ...((isActor || isUser) && typeof data.content === 'string' && { content: '' }),
    // The reason of a refund is one of the provider's words, and all other reasons are texts.
    ...((isActor || isUser) && 'reason' in data && !('amount_refunded' in data) && { reason: null }),
    ...(isOwner && !keepsProjects && { name: '', slug: '', url: '' }),
  };
};

const eventWithoutUser = (item: Item, userId: string, keepsProjects: boolean) => {
  const isActor = item.actor_id === userId;
  const data = dataWithoutUser((item.data ?? {}) as Item, userId, isActor, keepsProjects);
  return { set: { actor_id: isActor ? null : item.actor_id, data } };
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
      input: hasWords ? null : withoutUser(item.input ?? null, userId),
    },
    ...(isListed && { remove: ['collection_pk', 'collection_sk'] }),
  };
};

/** Concurrent updates, as many as the connection pool serves without queueing. */
const CONCURRENCY = 8;

/**
 * Removes a user from stored events, tasks and the audit log, with the words that they contain. A run that is interrupted
 * has processed some mentions, which the next one does not find any more. While there are entries without mentions, reads
 * the whole ledgers.
 * @param keepsProjects whether the user's projects stay, and with them their names in events.
 * @param until by the monotonic clock, in milliseconds.
 * @throws {TimeUp} when the time is up first.
 */
export const removeUserFromLedgers = async (userId: string, keepsProjects: boolean, until: number): Promise<void> => {
  const removeFrom = async (item: Item): Promise<void> => {
    if (!JSON.stringify(item).includes(userId)) return;
    const change =
      item.type === 'audit' ? auditEntryWithoutUser(item, userId) : eventWithoutUser(item, userId, keepsProjects);
    // An entry that has expired meanwhile is not created again.
    await updateItem(keyOf(item), change, exists);
  };
  if (await hasUnindexedEntries()) {
    for await (const items of ledgerPages()) {
      if (performance.now() > until) throw new TimeUp();
      for (const item of items) await removeFrom(item);
    }
  }
  for await (const mentions of mentionPages(userId)) {
    for (let start = 0; start < mentions.length; start += CONCURRENCY) {
      if (performance.now() > until) throw new TimeUp();
      await Promise.all(
        mentions.slice(start, start + CONCURRENCY).map(async ({ key, entries }) => {
          const stored = await findItems(entries);
          await Promise.all(stored.filter((item) => item !== undefined).map(removeFrom));
          // Last, so that the next run finds an entry that this one did not reach.
          await deleteItem(key);
        }),
      );
    }
  }
};
