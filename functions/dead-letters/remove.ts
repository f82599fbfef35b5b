import { remove } from '#contract/dead-letters.ts';
import { handle, ok } from '#http/handle.ts';
import { removeDeadLetter } from '#services/dead-letters.ts';

export const handler = handle(remove, async ({ params }) =>
  ok({ data: { id: await removeDeadLetter(params.letter), deleted: true as const } }),
);
