import { approve } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { approveProject } from '#services/projects/moderate.ts';
import { staffProject } from '#services/projects/read.ts';

export const handler = handle(approve, async ({ params, user, ifMatch }) => {
  const changed = await approveProject(user, params.project, ifMatch);
  const { data, version } = await staffProject(changed, user);
  return ok({ data }, { version });
});
