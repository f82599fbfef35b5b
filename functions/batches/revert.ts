import { revert } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { revertBatch } from '#services/projects/revert-batch.ts';

export const handler = handle(revert, async ({ params, user, remainingMs }) => {
  const report = await revertBatch(user, params.batch, remainingMs());
  return report.state === 'done' ? ok({ data: report }) : { status: 202 as const, body: { data: report } };
});
