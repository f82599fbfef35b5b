import { preview } from '#contract/imports.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getImportRecord, previewImport } from '#services/imports/manage.ts';

export const handler = handle(
  preview,
  async ({ params, query, user }) => ok({ data: await previewImport(user, params.import, query.rows) }),
  [authorize(({ params }) => getImportRecord(params.import))],
);
