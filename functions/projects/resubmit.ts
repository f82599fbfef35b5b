import { resubmit } from '#contract/projects.ts';
import { shownProject } from '#data/shown-project.ts';
import { resubmitProject } from '#domain/projects/moderate.ts';
import { handle, ok } from '#http/handle.ts';
import { changePorts } from '#ports/projects.ts';

export const handler = handle(resubmit, changePorts, async ({ params, user }, ports) => {
  const changed = await resubmitProject(ports, user, params.project);
  const { view, tag } = await shownProject(changed, user);
  return ok({ data: view }, { tag });
});
