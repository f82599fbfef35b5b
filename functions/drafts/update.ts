import { update } from '#contract/drafts.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getDraft, updateDraft } from '#services/projects/drafts.ts';

export const handler = handle(
  update,
  async ({ user, params, body, ifMatch }) => {
    const { data, version } = await updateDraft(user, params.draft, body.content, ifMatch);
    return ok({ data }, { version });
  },
  [authorize(({ user, params }) => getDraft(user, params.draft))],
);
