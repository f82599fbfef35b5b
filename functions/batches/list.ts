import { list } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { listBatches } from '#services/projects/batches.ts';

export const handler = handle(list, async ({ query }) => ok(await listBatches(query)));
