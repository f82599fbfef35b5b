import { resubmit } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { resubmitProject } from '#services/projects/moderate.ts';
import { callersProject } from '#services/projects/read.ts';

export const handler = handle(resubmit, async ({ params, user }) => {
  const changed = await resubmitProject(user, params.project);
  const { data, version } = await callersProject(changed, user);
  return ok({ data }, { version });
});
