import { withdraw } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { withdrawEdit } from '#services/projects/pending-edit.ts';

export const handler = handle(withdraw, async ({ params, user }) => {
  await withdrawEdit(user, params.project, params.revision);
  return ok({ data: { id: params.revision, state: 'withdrawn' } });
});
