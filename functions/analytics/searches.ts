import { searches } from '#contract/analytics.ts';
import { handle, ok } from '#http/handle.ts';
import { listSearches } from '#services/analytics/searches.ts';

export const handler = handle(searches, async ({ query }) => ok(await listSearches(query)));
