import { read } from '#contract/summary.ts';
import { handle, ok } from '#http/handle.ts';
import { readSummary } from '#services/admin/summary.ts';

export const handler = handle(read, async () => ok({ data: await readSummary() }));
