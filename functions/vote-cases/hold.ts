import { hold } from '#contract/vote-cases.ts';
import { accepted, handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { decideVoteCase, getVoteCase } from '#services/reactions/vote-cases.ts';

export const handler = handle(
  hold,
  async ({ params, body, user }) => {
    const { data, isComplete } = await decideVoteCase(user, params.case, 'held', body?.note || null);
    return isComplete ? ok({ data }) : accepted({ data });
  },
  [authorize(({ params, user }) => getVoteCase(user, params.case))],
);
