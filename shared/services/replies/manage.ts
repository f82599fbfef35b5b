import type { SavedReply, SavedReplyBody, SavedReplyUpdate } from '#contract/replies.ts';
import { retryOnConflict } from '#data/conflict.ts';
import {
  allSavedReplies,
  deleteSavedReply,
  findSavedReply,
  insertSavedReply,
  replaceSavedReply,
} from '#data/saved-replies.ts';
import { type SavedReplyRecord, savedReplyView } from '#model/saved-reply.ts';
import { newId } from '#platform/ids.ts';
import { notFound } from '#shared/errors.ts';

/** All saved replies by name. */
export const listSavedReplies = async (): Promise<SavedReply[]> =>
  (await allSavedReplies()).map(savedReplyView).toSorted((one, other) => one.name.localeCompare(other.name, 'en'));

export const createSavedReply = async ({ name, text }: SavedReplyBody): Promise<SavedReply> => {
  const reply: SavedReplyRecord = { id: newId('rpl'), name, text, version: 1 };
  await insertSavedReply(reply);
  return savedReplyView(reply);
};

/** @throws 404. */
export const getSavedReply = async (id: string): Promise<SavedReplyRecord> => {
  const reply = await findSavedReply(id);
  if (!reply) throw notFound();
  return reply;
};

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
    await replaceSavedReply(previous, next);
    return savedReplyView(next);
  });

/** @throws 404. */
export const removeSavedReply = async (id: string): Promise<string> => {
  if (!(await deleteSavedReply(id))) throw notFound();
  return id;
};
