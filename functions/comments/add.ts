import { add } from '#contract/comments.ts';
import { commentPorts } from '#data/reaction-ports.ts';
import { addComment } from '#domain/comments/comment.ts';
import { created, handle } from '#http/handle.ts';

export const handler = handle(add, commentPorts, async ({ params, body, user }, ports) =>
  created({ data: await addComment(ports, user, params.project, body.content) }),
);
