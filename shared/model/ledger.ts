/** Bounds the cost of a page whose filter few entries match. */
export const EXAMINED_MAX = 500;

/**
 * A page of the entries of a ledger that match a filter. After `EXAMINED_MAX` entries it ends, even if it is short: the
 * next one continues there.
 */
export const filteredPage = async <T extends { readonly id: string }>(
  newestFirst: AsyncIterable<T>,
  isIncluded: (entry: T) => boolean,
  limit: number,
) => {
  const data: T[] = [];
  let [examined, last] = [0, ''];
  for await (const entry of newestFirst) {
    if (data.length === limit || examined === EXAMINED_MAX) {
      return { data, meta: { pageSize: limit, hasMore: true, nextAfter: last } };
    }
    if (isIncluded(entry)) data.push(entry);
    examined += 1;
    last = entry.id;
  }
  return { data, meta: { pageSize: limit, hasMore: false, nextAfter: null } };
};

/** The entries from an id on. */
export async function* notBefore<T extends { readonly id: string }>(
  newestFirst: AsyncIterable<T>,
  firstId: string,
): AsyncGenerator<T> {
  for await (const entry of newestFirst) {
    if (entry.id < firstId) return;
    yield entry;
  }
}
