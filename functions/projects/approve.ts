import { approve } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { publishedVersion } from '#model/project.ts';
import { approveProject } from '#services/projects/moderate.ts';
import { staffProjectView } from '#services/projects/view.ts';

export const handler = handle(approve, async ({ params, user, ifMatch }) => {
  const changed = await approveProject(user, params.project, ifMatch);
  return ok({ data: await staffProjectView(changed) }, { version: publishedVersion(changed.project) });
});
