import { read } from '#contract/feeds.ts';
import { handle } from '#http/handle.ts';
import { readFeed } from '#services/feeds/feed.ts';

/** Also handles `feeds.readAtom` and `feeds.readJson`. */
export const handler = handle(read, async ({ resource, query }) => ({
  status: 200 as const,
  ...(await readFeed(resource, query)),
}));
