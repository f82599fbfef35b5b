import { generate } from '#contract/ai.ts';
import { handle, ok } from '#http/handle.ts';
import { generateListingText } from '#services/admin/ai.ts';

export const handler = handle(generate, async ({ body }) => ok({ data: await generateListingText(body) }));
