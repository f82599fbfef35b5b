/** Page number and page size, both from 1. */
export interface Paging {
  readonly page: number;
  readonly limit: number;
}

/** The number of entries before a page. */
export const skipOf = ({ page, limit }: Paging): number => (page - 1) * limit;

/**
 * The `meta` of a paged response.
 * @param total number of entries of all pages.
 * @param shown number of entries of this page.
 */
export const pageMeta = (query: Paging, total: number, shown: number) => ({
  total,
  page: query.page,
  pageSize: query.limit,
  hasMore: skipOf(query) + shown < total,
});

/** A page of a complete list. */
export const pageOf = <T>(all: readonly T[], query: Paging) => {
  const data = all.slice(skipOf(query), skipOf(query) + query.limit);
  return { data, meta: pageMeta(query, all.length, data.length) };
};

/**
 * A page of a ledger, which is continued after the id of its last entry.
 * @param entries the entries from the start of the page; more than `limit` when another page follows.
 */
export const ledgerPage = <T extends { readonly id: string }>(entries: readonly T[], limit: number) => {
  const data = entries.slice(0, limit);
  const hasMore = entries.length > limit;
  return { data, meta: { pageSize: limit, hasMore, nextAfter: hasMore ? (data.at(-1)?.id ?? null) : null } };
};
