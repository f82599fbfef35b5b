import { preview } from '#contract/imports.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getImportRecord } from '#services/imports/manage.ts';
import { previewImport } from '#services/imports/preview.ts';

export const handler = handle(
  preview,
  async ({ params, query, user }) => ok({ data: await previewImport(user, params.import, query) }),
  [authorize(({ params }) => getImportRecord(params.import))],
);
