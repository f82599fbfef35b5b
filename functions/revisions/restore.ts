import { restore } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { publishedVersion } from '#model/project.ts';
import { staffProjectView } from '#services/projects/view.ts';
import { getRevision } from '#services/revisions/list.ts';
import { restoreRevision } from '#services/revisions/restore.ts';

export const handler = handle(
  restore,
  async ({ params, body, user, ifMatch }) => {
    const changed = await restoreRevision(user, params.project, params.revision, body?.fields, ifMatch);
    return ok({ data: await staffProjectView(changed) }, { version: publishedVersion(changed.project) });
  },
  [authorize(({ params, user }) => getRevision(user, params.project, params.revision))],
);
