import { browse } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { staffPage } from '#services/projects/list.ts';

export const handler = handle(browse, async ({ query }) => ok(await staffPage(query)));
