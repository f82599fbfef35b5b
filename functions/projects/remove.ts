import { remove } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { removeProject } from '#services/projects/update.ts';

export const handler = handle(remove, async ({ params, user }) => {
  return ok({ data: await removeProject(user, params.project) });
});
