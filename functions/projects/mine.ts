import { mine } from '#contract/projects.ts';
import { handle, ok } from '#http/handle.ts';
import { submissionsPage } from '#services/projects/list.ts';

export const handler = handle(mine, async ({ query, user }) => ok(await submissionsPage(user, query)));
