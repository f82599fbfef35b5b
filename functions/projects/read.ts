import { read } from '#contract/projects.ts';
import { findProject } from '#data/projects.ts';
import { shownProject } from '#data/shown-project.ts';
import { viewerMarks } from '#data/viewer-marks.ts';
import { readProject } from '#domain/projects/read.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(read, { findProject }, async ({ params, user }, ports) => {
  const stored = await readProject(ports, user, params.project);
  const { view, tag } = await shownProject(stored, user);
  const marks = user && { viewer: await viewerMarks(view.id, user.id) };
  return ok({ data: { ...view, ...marks } }, { tag });
});
