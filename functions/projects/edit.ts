import { edit } from '#contract/projects.ts';
import { shownProject } from '#data/shown-project.ts';
import { editProject } from '#domain/projects/update.ts';
import { handle, ok } from '#http/handle.ts';
import { changePorts } from '#ports/projects.ts';

export const handler = handle(edit, changePorts, async ({ params, body, user, ifMatch }, ports) => {
  const changed = await editProject(ports, user, params.project, body, ifMatch);
  const { view, tag } = await shownProject(changed, user);
  return ok({ data: view }, { tag });
});
