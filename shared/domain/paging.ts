/** Which page of a list is asked for, and how many entries a page has; both from 1. */
export interface Paging {
  readonly page: number;
  readonly limit: number;
}

/** How many entries stand before a page. */
export const skipOf = ({ page, limit }: Paging): number => (page - 1) * limit;

/**
 * What is said about a page.
 * @param total of all pages. @param shown how many entries this one has.
 */
export const pageMeta = (query: Paging, total: number, shown: number) => ({
  total,
  page: query.page,
  pageSize: query.limit,
  hasMore: skipOf(query) + shown < total,
});

/** A page of a list that is there as a whole. */
export const pageOf = <T>(all: readonly T[], query: Paging) => {
  const data = all.slice(skipOf(query), skipOf(query) + query.limit);
  return { data, meta: pageMeta(query, all.length, data.length) };
};
