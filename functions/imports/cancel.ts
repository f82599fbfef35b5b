import { cancel } from '#contract/imports.ts';
import { handle, ok } from '#http/handle.ts';
import { cancelImport } from '#services/imports/manage.ts';

export const handler = handle(cancel, async ({ params, user }) =>
  ok({ data: await cancelImport(user, params.import) }),
);
