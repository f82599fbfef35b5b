import { release } from '#contract/vote-cases.ts';
import { accepted, handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { decideVoteCase, getVoteCase } from '#services/reactions/vote-cases.ts';

export const handler = handle(
  release,
  async ({ params, body, user }) => {
    const { data, isComplete } = await decideVoteCase(user, params.case, 'released', body?.note || null);
    return isComplete ? ok({ data }) : accepted({ data });
  },
  [authorize(({ params, user }) => getVoteCase(user, params.case))],
);
