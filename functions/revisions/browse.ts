import { browse } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { browseRevisions } from '#services/revisions/list.ts';

export const handler = handle(browse, async ({ query }) => ok(await browseRevisions(query)));
