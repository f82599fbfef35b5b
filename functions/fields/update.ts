import { update } from '#contract/custom-fields.ts';
import { handle, ok } from '#http/handle.ts';
import { authorize } from '#http/middleware/authorize.ts';
import { getField, previewUpdate, updateField } from '#services/fields/manage.ts';

export const handler = handle(
  update,
  async ({ params, query, body, ifMatch }) => {
    if (query.dry_run) return ok({ data: await previewUpdate(params.field, body, ifMatch) });
    const { data, version } = await updateField(params.field, body, ifMatch);
    return ok({ data }, { version });
  },
  [authorize(({ params }) => getField(params.field))],
);
