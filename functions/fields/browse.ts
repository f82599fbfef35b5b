import { browse } from '#contract/custom-fields.ts';
import { handle, ok } from '#http/handle.ts';
import { browseFields } from '#services/fields/manage.ts';

export const handler = handle(browse, async () => ok({ data: await browseFields() }));
