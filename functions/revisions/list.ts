import { list } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getProjectOfRevision, listRevisions } from '#services/projects/revisions.ts';

export const handler = handle(
  list,
  async ({ params, query, user }) => ok(await listRevisions(user, params.project, query)),
  [authorize(({ params, user }) => getProjectOfRevision(user, params.project))],
);
