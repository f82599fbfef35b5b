import { readOpenapi } from '#contract/console.ts';
import { handle } from '#http/handle.ts';
import { openapiText } from '#services/admin/console.ts';

export const handler = handle(readOpenapi, async () => ({ status: 200 as const, text: openapiText() }));
