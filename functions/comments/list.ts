import { list } from '#contract/comments.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getOpenProject } from '#services/projects/read.ts';
import { listComments } from '#services/reactions/comments.ts';

export const handler = handle(list, async ({ params, query }) => ok(await listComments(params.project, query)), [
  authorize(({ params }) => getOpenProject(params.project)),
]);
