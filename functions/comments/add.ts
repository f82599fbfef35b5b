import { add } from '#contract/comments.ts';
import { created, handle } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { addComment } from '#services/comments/comment.ts';
import { getOpenProject } from '#services/projects/get.ts';

export const handler = handle(
  add,
  async ({ params, body, user }) => created({ data: await addComment(user, params.project, body.content) }),
  [authorize(({ params }) => getOpenProject(params.project))],
);
