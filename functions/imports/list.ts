import { list } from '#contract/imports.ts';
import { handle, ok } from '#http/handle.ts';
import { listImports } from '#services/imports/manage.ts';

export const handler = handle(list, async ({ query }) => ok(await listImports(query)));
