import { update } from '#contract/projects.ts';
import { viewerStateOf } from '#data/viewer-state.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { publishedVersion } from '#model/project.ts';
import { permitUpdate, updateProject } from '#services/projects/update.ts';
import { storedProjectView } from '#services/projects/view.ts';

export const handler = handle(
  update,
  async ({ params, body, user, ifMatch }) => {
    const changed = await updateProject(user, params.project, body, ifMatch);
    const view = await storedProjectView(changed, user);
    const viewer = await viewerStateOf(view.id, user.id);
    return ok({ data: { ...view, viewer } }, { version: publishedVersion(changed.project) });
  },
  [authorize(({ params, user, body }) => permitUpdate(user, params.project, body))],
);
