import {
  SAVED_REPLIES_MAX,
  type SavedReply,
  type SavedReplyBody,
  type SavedReplyUpdate,
} from '#contract/saved-replies.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { type SavedReplyRecord, savedReplies } from '#data/saved-replies.ts';
import { createOnce } from '#services/create-once.ts';
import { conflict, mustExist, notFound } from '#shared/errors.ts';

/** All saved replies by name. */
export const listSavedReplies = async (): Promise<SavedReply[]> =>
  (await savedReplies.all()).toSorted((one, other) => one.name.localeCompare(other.name, 'en'));

/** @param seed as in `createOnce`. @throws 409 when there are too many. */
export const createSavedReply = ({ name, text }: SavedReplyBody, seed?: string): Promise<SavedReply> =>
  createOnce('rpl', seed, {
    find: savedReplies.find,
    create: async (id) => {
      // Concurrent requests may exceed it by a few, which the response has room for.
      if ((await savedReplies.all()).length >= SAVED_REPLIES_MAX) {
        throw conflict('LIMIT_REACHED', `There are at most ${SAVED_REPLIES_MAX} saved replies.`);
      }
      const reply: SavedReplyRecord = { id, name, text, version: 1 };
      await savedReplies.insert(reply);
      return reply;
    },
  });

/** @throws 404. */
export const getSavedReply = async (id: string): Promise<SavedReplyRecord> => mustExist(await savedReplies.find(id));

/** Changes the given fields of a saved reply. @throws 404. */
export const updateSavedReply = (id: string, body: SavedReplyUpdate): Promise<SavedReply> =>
  retryOnConflict(async () => {
    const previous = await getSavedReply(id);
    const next: SavedReplyRecord = {
      ...previous,
      name: body.name ?? previous.name,
      text: body.text ?? previous.text,
      version: previous.version + 1,
    };
    await savedReplies.replace(previous, next);
    return next;
  });

/** @throws 404. */
export const removeSavedReply = async (id: string): Promise<string> => {
  if (!(await savedReplies.remove(id))) throw notFound();
  return id;
};
