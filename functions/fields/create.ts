import { create } from '#contract/custom-fields.ts';
import { created, handle } from '#http/handle.ts';
import { createField } from '#services/fields/manage.ts';

export const handler = handle(create, async ({ body }) => {
  const { data, version } = await createField(body);
  return created({ data }, { version });
});
