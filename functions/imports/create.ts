import { create } from '#contract/imports.ts';
import { created, handle } from '#http/handle.ts';
import { announceImport } from '#services/imports/manage.ts';

export const handler = handle(create, async ({ body }) => created({ data: await announceImport(body) }));
