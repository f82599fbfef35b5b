import type { ReadCatalog } from '#catalog/types.ts';

const SHOWN = 10;

/** What telling what is trending takes. */
export interface TrendingPorts {
  readonly catalog: (freshness: 'now') => Promise<ReadCatalog>;
}

/**
 * Brings the catalog up to date and tells what is trending. The order is kept up by every reaction and does not change by
 * waiting, so there is nothing to recalculate and nothing is stored.
 */
export const refreshTrending = async (ports: TrendingPorts) => {
  const { entries, total } = (await ports.catalog('now')).query({
    scope: { status: 'live', deleted: 'excluded' },
    filters: { searchIn: 'public' },
    sort: 'trending',
    page: 1,
    limit: SHOWN,
  });
  const trending = entries.map(({ project: { id, slug, name }, counts }) => ({
    id,
    slug,
    name,
    upvote_count: counts.upvote_count,
  }));
  return { processed: total, trending, unfinished: false };
};
