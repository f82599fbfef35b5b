import { approve } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { approveProject } from '#services/projects/moderate.ts';
import { staffProjectView } from '#services/projects/view.ts';

export const handler = handle(approve, async ({ params, user, ifMatch }) => {
  const changed = await approveProject(user, params.project, ifMatch);
  return ok({ data: await staffProjectView(changed) }, { version: changed.project.version });
});
