import { read } from '#contract/imports.ts';
import { handle, ok } from '#http/handle.ts';
import { readImport } from '#services/imports/manage.ts';

export const handler = handle(read, async ({ params, user }) => ok({ data: await readImport(user, params.import) }));
