import { bulk } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { changeInBulk, previewBulk } from '#services/projects/bulk.ts';

export const handler = handle(bulk, async ({ body, query, user, remainingMs }) =>
  ok({ data: query.dry_run ? await previewBulk(user, body) : await changeInBulk(user, body, remainingMs()) }),
);
