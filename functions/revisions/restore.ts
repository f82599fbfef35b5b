import { restore } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { staffProject } from '#services/projects/read.ts';
import { restoreRevision } from '#services/projects/restore-revision.ts';
import { getRevision } from '#services/projects/revisions.ts';

export const handler = handle(
  restore,
  async ({ params, body, user, ifMatch }) => {
    const changed = await restoreRevision(user, params.project, params.revision, body?.fields, ifMatch);
    const { data, version } = await staffProject(changed, user);
    return ok({ data }, { version });
  },
  [authorize(({ params, user }) => getRevision(user, params.project, params.revision))],
);
