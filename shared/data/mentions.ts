import { ERASED_USER } from '#model/user.ts';
import { fromJsonText } from './json-text.ts';
import { type Key, mentionKey, mentionsPartition } from './keys.ts';
import { collectionPages, type Item, keyOf } from './read.ts';

// The event log and the audit log are partitioned by time. A mention finds the entries of one transaction that name a
// user; it is written in that transaction and expires with the last of them.

/** Whether an item is an entry of the event log, with the tasks in it, or of the audit log. */
export const isLogEntry = (item: Item): boolean =>
  item.type === 'event' || item.type === 'task' || item.type === 'audit';

/** A report is stored under the id of its author. */
const USER_SUBJECT = /^(?:user|report):(.+)$/s;

const usersOf = (members: unknown): unknown[] => {
  const { owner_id, previous_owner_id, user_id } = (members ?? {}) as Item;
  return [owner_id, previous_owner_id, user_id];
};

/** The users whom an entry names: who caused it, whom it concerns, and who owns what it concerns. */
export const mentionedUsers = ({ actor_id, data, input, subjects }: Item): string[] => {
  const ids = [
    actor_id,
    ...usersOf(data),
    ...usersOf(fromJsonText(input)),
    ...((subjects ?? []) as string[]).map((subject) => USER_SUBJECT.exec(subject)?.[1]),
  ];
  return [...new Set(ids.filter((id): id is string => typeof id === 'string' && id !== '' && id !== ERASED_USER))];
};

/** The mentions of all users whom some entries of one transaction name, one per user. */
export const mentionItems = (entries: readonly (Item & Key)[]): (Item & Key)[] => {
  const byUser = new Map<string, (Item & Key)[]>();
  for (const entry of entries) {
    for (const userId of mentionedUsers(entry)) byUser.set(userId, [...(byUser.get(userId) ?? []), entry]);
  }
  return Array.from(byUser, ([userId, own]) => ({
    ...mentionKey(userId, String(own[0]?.id)),
    type: 'mention',
    ttl: Math.max(...own.map(({ ttl }) => Number(ttl))),
    entries: own.map(({ pk, sk }) => ({ pk, sk })),
  }));
};

interface Mention {
  readonly key: Key;
  /** The keys of the entries, some of which may have expired. */
  readonly entries: readonly Key[];
}

/** Bounds the entries that are read at once. */
const MENTIONS_PER_PAGE = 200;

/** The mentions of a user, oldest first. */
export async function* mentionPages(userId: string): AsyncGenerator<readonly Mention[]> {
  const pages = collectionPages({ partition: mentionsPartition(userId), pageSize: MENTIONS_PER_PAGE });
  for await (const items of pages) {
    yield items.map((item) => ({ key: keyOf(item), entries: (item.entries ?? []) as readonly Key[] }));
  }
}
