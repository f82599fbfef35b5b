import { approve } from '#contract/projects.ts';
import { shownProject } from '#data/shown-project.ts';
import { approveProject } from '#domain/projects/moderate.ts';
import { handle, ok } from '#http/handle.ts';
import { changePorts } from '#ports/projects.ts';

export const handler = handle(approve, changePorts, async ({ params, user }, ports) => {
  const changed = await approveProject(ports, user, params.project);
  const { view, tag } = await shownProject(changed, user);
  return ok({ data: view }, { tag });
});
