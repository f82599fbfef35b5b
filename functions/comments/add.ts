import { add } from '#contract/comments.ts';
import { created, handle } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { addComment } from '#services/reactions/comments.ts';

export const handler = handle(
  add,
  async ({ params, body, user, seed }) => created({ data: await addComment(user, params.project, body.content, seed) }),
  [authorize(({ params }) => getOpenProject(params.project)), idempotency],
);
