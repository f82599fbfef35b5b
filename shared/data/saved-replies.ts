import type { SavedReply } from '#contract/saved-replies.ts';
import { collection } from './collection.ts';
import { savedRepliesPartition, savedReplyKey, savedReplyPrefix } from './keys.ts';

/** A saved reply as stored. `version` increases with every write. */
export interface SavedReplyRecord extends SavedReply {
  readonly version: number;
}

export const savedReplies = collection<SavedReplyRecord>({
  type: 'savedReply',
  partition: savedRepliesPartition,
  prefix: savedReplyPrefix,
  keyOf: savedReplyKey,
});
