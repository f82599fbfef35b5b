import { resubmit } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { publishedVersion } from '#model/project.ts';
import { resubmitProject } from '#services/projects/moderate.ts';
import { storedProjectView } from '#services/projects/view.ts';

export const handler = handle(resubmit, async ({ params, user }) => {
  const changed = await resubmitProject(user, params.project);
  return ok({ data: await storedProjectView(changed, user) }, { version: publishedVersion(changed.project) });
});
