import { start } from '#contract/imports.ts';
import { handle } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getImportRecord, startImport } from '#services/imports/manage.ts';

export const handler = handle(
  start,
  async ({ params, query, body, user }) => {
    const started = await startImport(user, params.import, body.mapping, query.dry_run === true);
    return { status: 202 as const, body: { data: started } };
  },
  [authorize(({ params }) => getImportRecord(params.import))],
);
