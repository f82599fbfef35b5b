import type { SavedReplyRecord } from '#model/saved-reply.ts';
import { type Key, savedRepliesPartition, savedReplyKey, savedReplyPrefix } from './keys.ts';
import { findItem, type Item, wholeCollection } from './read.ts';
import { absent, every, exists, is, transact, tryTransact } from './write.ts';

const savedReplyItem = (reply: SavedReplyRecord): Item & Key => ({
  ...savedReplyKey(reply.id),
  type: 'savedReply',
  ...reply,
});

const savedReplyOf = (item: Item): SavedReplyRecord => ({
  id: String(item.id),
  name: String(item.name),
  text: String(item.text),
  version: Number(item.version),
});

/** All saved replies, oldest first, strongly consistent. There are few enough to read them together. */
export const allSavedReplies = async (): Promise<SavedReplyRecord[]> => {
  const items = await wholeCollection({ partition: savedRepliesPartition, prefix: savedReplyPrefix });
  return items.map(savedReplyOf);
};

/** Reads a saved reply, strongly consistent. */
export const findSavedReply = async (id: string): Promise<SavedReplyRecord | undefined> => {
  const item = await findItem(savedReplyKey(id));
  return item && savedReplyOf(item);
};

/** Inserts a saved reply. */
export const insertSavedReply = (reply: SavedReplyRecord): Promise<void> =>
  transact([{ put: savedReplyItem(reply), when: absent }]);

/** Replaces a saved reply. @throws {ConditionFailed} when it was changed or deleted concurrently. */
export const replaceSavedReply = (previous: SavedReplyRecord, next: SavedReplyRecord): Promise<void> =>
  transact([{ put: savedReplyItem(next), when: every(exists, is('version', previous.version)) }]);

/** Deletes a saved reply. @returns whether it existed. */
export const deleteSavedReply = (id: string): Promise<boolean> =>
  tryTransact([{ delete: savedReplyKey(id), when: exists }]);
