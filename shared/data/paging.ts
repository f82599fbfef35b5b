import { bytesInResponse } from '#model/response-size.ts';

/** Page number and page size, both from 1. */
export interface Paging {
  readonly page: number;
  readonly limit: number;
}

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

export const pageOf = <T>(all: readonly T[], query: Paging) => {
  const data = all.slice(skipOf(query), skipOf(query) + query.limit);
  return { data, meta: pageMeta(query, all.length, data.length) };
};

/** Of a page, in bytes of the response. */
const PAGE_BYTES_MAX = 3_000_000;
/** Bounds the cost of a page whose filter few entries match. */
const EXAMINED_MAX = 500;

/**
 * A cursor page of large or filtered entries. It ends early after many bytes or many entries that do not match; the next
 * page continues there.
 * @param entries from the start of the page, beyond its end.
 */
export const filteredPage = async <T extends { readonly id: string }>(
  entries: AsyncIterable<T>,
  limit: number,
  isIncluded: (entry: T) => boolean = () => true,
) => {
  const data: T[] = [];
  let bytes = 0;
  let examined = 0;
  let nextAfter: string | null = null;
  for await (const entry of entries) {
    if (data.length === limit || bytes >= PAGE_BYTES_MAX || examined === EXAMINED_MAX) {
      return { data, meta: { pageSize: limit, hasMore: true, nextAfter } };
    }
    examined += 1;
    nextAfter = entry.id;
    if (!isIncluded(entry)) continue;
    data.push(entry);
    bytes += bytesInResponse(JSON.stringify(entry));
  }
  return { data, meta: { pageSize: limit, hasMore: false, nextAfter: null } };
};

export async function* notBefore<T extends { readonly id: string }>(
  newestFirst: AsyncIterable<T>,
  firstId: string,
): AsyncGenerator<T> {
  for await (const entry of newestFirst) {
    if (entry.id < firstId) return;
    yield entry;
  }
}

/**
 * A cursor page, which the next one continues after the id of its last entry.
 * @param entries the entries from the start of the page; more than `limit` when another page follows.
 */
export const cursorPageOf = <T extends { readonly id: string }>(entries: readonly T[], limit: number) => {
  const data = entries.slice(0, limit);
  const hasMore = entries.length > limit;
  return { data, meta: { pageSize: limit, hasMore, nextAfter: hasMore ? (data.at(-1)?.id ?? null) : null } };
};
