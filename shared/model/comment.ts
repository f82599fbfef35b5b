/** A comment as stored. */
export interface CommentRecord {
  readonly id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly content: string;
  readonly created_at: string;
  readonly updated_at: string;
  /** Only administrators, moderators and its author know of a hidden comment. */
  readonly is_hidden: boolean;
}

/** How long an author can change a comment, in milliseconds. */
const EDITABLE_MS = 24 * 3600 * 1000;

/** Whether a user can change a comment at a time. */
export const isEditable = (
  comment: Pick<CommentRecord, 'user_id' | 'created_at'>,
  userId: string,
  at: string,
): boolean => comment.user_id === userId && Date.parse(at) - Date.parse(comment.created_at) <= EDITABLE_MS;
