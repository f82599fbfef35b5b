import { list } from '#contract/custom-fields.ts';
import { handle, ok } from '#http/handle.ts';
import { listFields } from '#services/fields/manage.ts';

export const handler = handle(list, async () => ok({ data: await listFields() }));
