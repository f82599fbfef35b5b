import { map } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { mapFeed } from '#domain/projects/map-feed.ts';
import { encodedOnce } from '#http/encoded.ts';
import { handle } from '#http/handle.ts';

export const handler = handle(map, { catalog }, async (_call, ports) => {
  const known = await ports.catalog();
  return encodedOnce(map, known, undefined, () => ({ items: mapFeed(known) }));
});
