import { edit } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { publishedVersion } from '#model/project.ts';
import { getStaffProject } from '#services/projects/get.ts';
import { editProject } from '#services/projects/update.ts';
import { staffProjectView } from '#services/projects/view.ts';

export const handler = handle(
  edit,
  async ({ params, body, user, ifMatch }) => {
    const changed = await editProject(user, params.project, body, ifMatch);
    return ok({ data: await staffProjectView(changed) }, { version: publishedVersion(changed.project) });
  },
  [authorize(({ params, user }) => getStaffProject(user, params.project))],
);
