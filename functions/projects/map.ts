import { CLUSTERS_CACHE_SECONDS, map } from '#contract/projects.ts';
import { handle } from '#http/handle.ts';
import { cachedResponse } from '#http/response-body.ts';
import { mapPage } from '#services/projects/list.ts';

export const handler = handle(map, async ({ query }) => {
  const page = await mapPage(query);
  const response = cachedResponse(map, page.key, page);
  if (query.zoom === undefined) return response;
  return { ...response, headers: { 'cache-control': `public, max-age=${CLUSTERS_CACHE_SECONDS}` } };
});
