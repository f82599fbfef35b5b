import { list } from '#contract/drafts.ts';
import { handle, ok } from '#http/handle.ts';
import { listDrafts } from '#services/projects/drafts.ts';

export const handler = handle(list, async ({ user, query }) => ok(await listDrafts(user, query)));
