import { edit } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getStaffProject, staffProject } from '#services/projects/read.ts';
import { editProject } from '#services/projects/update.ts';

export const handler = handle(
  edit,
  async ({ params, body, user, ifMatch }) => {
    const changed = await editProject(user, params.project, body, ifMatch);
    const { data, version } = await staffProject(changed, user);
    return ok({ data }, { version });
  },
  [authorize(({ params, user }) => getStaffProject(user, params.project))],
);
