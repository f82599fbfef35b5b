import { remove } from '#contract/collections.ts';
import { handle, ok } from '#http/handle.ts';
import { removeCollection } from '#services/collections.ts';

export const handler = handle(remove, async ({ params }) =>
  ok({ data: { id: await removeCollection(params.collection), deleted: true as const } }),
);
