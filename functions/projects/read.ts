import { read } from '#contract/projects.ts';
import { viewerStateOf } from '#data/viewer-state.ts';
import { handle, ok } from '#http/handle.ts';
import { publishedVersion } from '#model/project.ts';
import { getProject } from '#services/projects/get.ts';
import { storedProjectView } from '#services/projects/view.ts';

export const handler = handle(read, async ({ params, user }) => {
  const stored = await getProject(user, params.project);
  const view = await storedProjectView(stored, user);
  const viewer = user && { viewer: await viewerStateOf(view.id, user.id) };
  return ok({ data: { ...view, ...viewer } }, { version: publishedVersion(stored.project) });
});
