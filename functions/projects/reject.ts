import { reject } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { rejectProject } from '#services/projects/moderate.ts';
import { getStaffProject, staffProject } from '#services/projects/read.ts';

export const handler = handle(
  reject,
  async ({ params, body, user, ifMatch }) => {
    const changed = await rejectProject(user, params.project, body?.reason ?? null, ifMatch);
    const { data, version } = await staffProject(changed, user);
    return ok({ data }, { version });
  },
  [authorize(({ params, user }) => getStaffProject(user, params.project))],
);
