import { update } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { callersProjectWithReactions } from '#services/projects/read.ts';
import { permitUpdate, updateProject } from '#services/projects/update.ts';

export const handler = handle(
  update,
  async ({ params, body, user, ifMatch }) => {
    const changed = await updateProject(user, params.project, body, ifMatch);
    const { data, version } = await callersProjectWithReactions(changed, user);
    return ok({ data }, { version });
  },
  [authorize(({ params, user, body }) => permitUpdate(user, params.project, body))],
);
