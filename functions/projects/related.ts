import { related } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getProject } from '#services/projects/read.ts';
import { relatedProjects } from '#services/projects/related.ts';

export const handler = handle(
  related,
  async ({ params, query, user }) => ok(await relatedProjects(user, params.project, query.limit)),
  [authorize(({ params, user }) => getProject(user, params.project))],
);
