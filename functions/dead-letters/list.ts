import { list } from '#contract/dead-letters.ts';
import { handle, ok } from '#http/handle.ts';
import { listDeadLetters } from '#services/dead-letters.ts';

export const handler = handle(list, async ({ query }) => ok(await listDeadLetters(query)));
