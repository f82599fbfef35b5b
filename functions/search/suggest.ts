import { suggest } from '#contract/search.ts';
import { handle, ok } from '#http/handle.ts';
import { suggestions } from '#services/search/suggest.ts';

export const handler = handle(suggest, async ({ query }) => ok({ data: await suggestions(query) }));
