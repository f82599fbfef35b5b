import { add } from '#contract/comments.ts';
import { addComment } from '#domain/comments/comment.ts';
import { created, handle } from '#http/handle.ts';
import { commentPorts } from '#ports/reactions.ts';

export const handler = handle(add, commentPorts, async ({ params, body, user }, ports) =>
  created({ data: await addComment(ports, user, params.project, body.content) }),
);
