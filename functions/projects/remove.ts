import { remove } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { now } from '#platform/clock.ts';
import { removeProject } from '#services/projects/update.ts';

export const handler = handle(remove, async ({ params, user }) => {
  const { project } = await removeProject(user, params.project);
  return ok({ data: { id: project.id, deleted_at: project.deleted_at ?? now() } });
});
