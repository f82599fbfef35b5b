import { reject } from '#contract/projects.ts';
import { shownProject } from '#data/shown-project.ts';
import { rejectProject } from '#domain/projects/moderate.ts';
import { handle, ok } from '#http/handle.ts';
import { changePorts } from '#ports/projects.ts';

export const handler = handle(reject, changePorts, async ({ params, body, user }, ports) => {
  const changed = await rejectProject(ports, user, params.project, body?.reason ?? null);
  const { view, tag } = await shownProject(changed, user);
  return ok({ data: view }, { tag });
});
