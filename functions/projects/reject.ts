import { reject } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { publishedVersion } from '#model/project.ts';
import { getStaffProject } from '#services/projects/get.ts';
import { rejectProject } from '#services/projects/moderate.ts';
import { staffProjectView } from '#services/projects/view.ts';

export const handler = handle(
  reject,
  async ({ params, body, user, ifMatch }) => {
    const changed = await rejectProject(user, params.project, body?.reason ?? null, ifMatch);
    return ok({ data: await staffProjectView(changed) }, { version: publishedVersion(changed.project) });
  },
  [authorize(({ params, user }) => getStaffProject(user, params.project))],
);
