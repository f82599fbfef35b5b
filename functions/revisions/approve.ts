import { approve } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { publishedVersion } from '#model/project.ts';
import { staffProjectView } from '#services/projects/view.ts';
import { approveRevision } from '#services/revisions/decide.ts';
import { getRevision } from '#services/revisions/list.ts';

export const handler = handle(
  approve,
  async ({ params, body, user, ifMatch }) => {
    const changed = await approveRevision(user, params.project, params.revision, body ?? { force: false }, ifMatch);
    return ok({ data: await staffProjectView(changed) }, { version: publishedVersion(changed.project) });
  },
  [authorize(({ params, user }) => getRevision(user, params.project, params.revision))],
);
