import { create } from '#contract/imports.ts';
import { created, handle } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { announceImport } from '#services/imports/manage.ts';

export const handler = handle(create, async ({ body, seed }) => created({ data: await announceImport(body, seed) }), [
  idempotency,
]);
