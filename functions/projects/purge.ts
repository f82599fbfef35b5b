import { purge } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { purgeProject } from '#services/projects/moderate.ts';

export const handler = handle(purge, async ({ params, user }) =>
  ok({ data: { id: await purgeProject(user, params.project), deleted: true } }),
);
