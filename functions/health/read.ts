import { read } from '#contract/health.ts';
import { handle, ok } from '#http/handle.ts';
import { readHealth } from '#services/admin/health.ts';

export const handler = handle(read, async ({ query }) => ok({ data: await readHealth(query.deep === '1') }));
