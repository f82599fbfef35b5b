import type { SavedReply } from '#contract/replies.ts';

/** A saved reply as stored. `version` increases with every write. */
export interface SavedReplyRecord extends SavedReply {
  readonly version: number;
}

/** The reply as the API returns it. */
export const savedReplyView = ({ id, name, text }: SavedReplyRecord): SavedReply => ({ id, name, text });
