import { read } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { callersProjectWithReactions, getProject } from '#services/projects/read.ts';

export const handler = handle(read, async ({ params, user }) => {
  const { data, version } = await callersProjectWithReactions(await getProject(user, params.project), user);
  return ok({ data }, { version });
});
