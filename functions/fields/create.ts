import { create } from '#contract/custom-fields.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { createField } from '#services/fields/manage.ts';

export const handler = handle(
  create,
  async ({ body, seed }) => {
    const { data, version } = await createField(body, seed);
    return created({ data }, { version });
  },
  [idempotency],
);
