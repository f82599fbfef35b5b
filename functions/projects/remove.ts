import { remove } from '#contract/projects.ts';
import { deleteProject } from '#domain/projects/update.ts';
import { handle, ok } from '#http/handle.ts';
import { removePorts } from '#ports/projects.ts';

export const handler = handle(remove, removePorts, async ({ params, user }, ports) => {
  const { project } = await deleteProject(ports, user, params.project);
  return ok({ data: { id: project.id, deleted_at: project.deleted_at ?? ports.now() } });
});
