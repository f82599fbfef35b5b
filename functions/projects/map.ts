import { map } from '#contract/projects.ts';
import { catalog } from '#data/catalog.ts';
import { mapFeed } from '#domain/projects/map-feed.ts';
import { handle, ok } from '#http/handle.ts';

export const handler = handle(map, { catalog }, async (_call, ports) => ok({ items: mapFeed(await ports.catalog()) }));
