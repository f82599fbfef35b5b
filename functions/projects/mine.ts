import { mine } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { handle, ok } from '#http/handle.ts';
import { listSubmissions } from '#services/projects/list.ts';

export const handler = handle(mine, async ({ query, user }) => ok(listSubmissions(await catalog(), user, query)));
