import { type UseInfiniteQueryResult, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ApiError } from '../api.ts';
import { POLL_MS } from './queries.ts';

interface LedgerPage<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly hasMore: boolean; readonly nextAfter: string | null };
}

/**
 * Reads a ledger from its newest entry on; `fetchNextPage` reads earlier ones.
 * @param key begins with the domain of the contract, as for `useResource`.
 */
export const useLedger = <Row>(
  key: readonly [domain: string, ...unknown[]],
  read: (after: string | undefined, signal: AbortSignal) => Promise<LedgerPage<Row>>,
  { poll = false }: { readonly poll?: boolean } = {},
): UseInfiniteQueryResult<readonly Row[]> => {
  const ledger = useInfiniteQuery({
    queryKey: [...key, 'ledger'],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    getNextPageParam: ({ meta }) => (meta.hasMore ? (meta.nextAfter ?? undefined) : undefined),
    select: ({ pages }): readonly Row[] => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) =>
      poll && !(state.error instanceof ApiError && state.error.status < 500) ? POLL_MS : false,
  });
  const { data, hasNextPage, isFetching, fetchNextPage } = ledger;
  // With a filter, a page may be empty although there is more.
  useEffect(() => {
    if (data?.length === 0 && hasNextPage && !isFetching) void fetchNextPage();
  }, [data, hasNextPage, isFetching, fetchNextPage]);
  return ledger;
};
