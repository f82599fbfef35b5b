import { remove } from '#contract/custom-fields.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getField, previewRemoval, removeField } from '#services/fields/manage.ts';

export const handler = handle(
  remove,
  async ({ params, query, ifMatch }) =>
    ok({
      data: query.dry_run ? await previewRemoval(params.field, ifMatch) : await removeField(params.field, ifMatch),
    }),
  [authorize(({ params }) => getField(params.field))],
);
