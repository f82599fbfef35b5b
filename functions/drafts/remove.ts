import { remove } from '#contract/drafts.ts';
import { handle, ok } from '#http/handle.ts';
import { removeDraft } from '#services/projects/drafts.ts';

export const handler = handle(remove, async ({ user, params }) =>
  ok({ data: { id: await removeDraft(user, params.draft), deleted: true as const } }),
);
