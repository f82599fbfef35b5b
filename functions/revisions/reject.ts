import { reject } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { rejectRevision } from '#services/projects/pending-edit.ts';
import { staffProject } from '#services/projects/read.ts';
import { getRevision } from '#services/projects/revisions.ts';

export const handler = handle(
  reject,
  async ({ params, body, user, ifMatch }) => {
    const changed = await rejectRevision(user, params.project, params.revision, body, ifMatch);
    const { data, version } = await staffProject(changed, user);
    return ok({ data }, { version });
  },
  [authorize(({ params, user }) => getRevision(user, params.project, params.revision))],
);
