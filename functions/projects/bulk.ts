import { bulk } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { changeInBulk } from '#services/projects/bulk.ts';

export const handler = handle(bulk, async ({ body, user }) => ok({ data: await changeInBulk(user, body) }));
