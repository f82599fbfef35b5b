import { listItems } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getBatch, listBatchItems } from '#services/projects/batches.ts';

export const handler = handle(
  listItems,
  async ({ params, query, user }) => ok(await listBatchItems(user, params.batch, query)),
  [authorize(({ params }) => getBatch(params.batch))],
);
