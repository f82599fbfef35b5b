import { read } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { readBatch } from '#services/projects/batches.ts';

export const handler = handle(read, async ({ params }) => ok({ data: await readBatch(params.batch) }));
