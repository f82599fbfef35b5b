import { list } from '#contract/letters.ts';
import { handle, ok } from '#http/handle.ts';
import { listDeadLetters } from '#services/letters/manage.ts';

export const handler = handle(list, async ({ query }) => ok(await listDeadLetters(query)));
