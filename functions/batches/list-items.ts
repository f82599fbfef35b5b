import { listItems } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getBatch, listBatchItems } from '#services/batches/read.ts';

export const handler = handle(listItems, async ({ params, query }) => ok(await listBatchItems(params.batch, query)), [
  authorize(({ params }) => getBatch(params.batch)),
]);
