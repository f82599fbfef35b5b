import { browse } from '#contract/revisions.ts';
import { handle, ok } from '#http/handle.ts';
import { browseRevisions } from '#services/projects/revisions.ts';

export const handler = handle(browse, async ({ query, user }) => ok(await browseRevisions(user, query)));
