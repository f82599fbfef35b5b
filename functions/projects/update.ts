import { update } from '#contract/projects.ts';
import { shownProject } from '#data/shown-project.ts';
import { permitUpdate, updateProject } from '#domain/projects/update.ts';
import { handle, ok } from '#http/handle.ts';
import { changePorts } from '#ports/projects.ts';

export const handler = handle(
  update,
  changePorts,
  async ({ params, body, user, ifMatch }, ports) => {
    const changed = await updateProject(ports, user, params.project, body, ifMatch);
    const { view, tag } = await shownProject(changed, user);
    return ok({ data: view }, { tag });
  },
  { permit: ({ params, user, body }) => permitUpdate(changePorts, user, params.project, body) },
);
