import { approve } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { approveRevision } from '#services/projects/pending-edit.ts';
import { staffProject } from '#services/projects/read.ts';
import { getRevision } from '#services/projects/revisions.ts';

export const handler = handle(
  approve,
  async ({ params, body, user, ifMatch }) => {
    const changed = await approveRevision(user, params.project, params.revision, body ?? { force: false }, ifMatch);
    const { data, version } = await staffProject(changed, user);
    return ok({ data }, { version });
  },
  [authorize(({ params, user }) => getRevision(user, params.project, params.revision))],
);
