import { map } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { cachedReply } from '#http/encoded.ts';
import { handle } from '#http/handle.ts';
import { mapFeed } from '#services/projects/list.ts';

export const handler = handle(map, async () => {
  const listings = await catalog();
  return cachedReply(map, listings, undefined, () => mapFeed(listings));
});
