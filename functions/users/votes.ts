import { votes } from '#contract/users.ts';
import { userMarks } from '#data/user-marks.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(votes, { userMarks }, async ({ query, user }, ports) =>
  ok({ data: await ports.userMarks(user.id, query.ids) }),
);
