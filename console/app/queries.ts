import {
  hashKey,
  QueryClient,
  type UseInfiniteQueryResult,
  type UseQueryResult,
  useInfiniteQuery,
  useQuery,
} from '@tanstack/react-query';
import { ApiError, NetworkError } from '../api.ts';
import { connection } from './connection.ts';
import { onUserEnd } from './session.ts';

/** How often visible lists ask for changes, in milliseconds. An unchanged one answers 304. */
export const POLL_MS = 10_000;

/** How often work that runs in the background is read, in milliseconds. */
const PROGRESS_MS = 2000;

/** How long a record counts as current while its page is visited again, in milliseconds. */
const FRESH_MS = 2000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: FRESH_MS,
      gcTime: 30 * 60_000,
      // The page says what went wrong and offers to try again; only a missing connection is tried again by itself.
      retry: (count, error) => error instanceof NetworkError && count < 2,
      retryDelay: 1000,
      refetchOnWindowFocus: true,
    },
  },
});

onUserEnd(() => queries.clear());

let wasOffline = connection.value.isOffline;
connection.subscribe(() => {
  const { isOffline } = connection.value;
  if (wasOffline && !isOffline) void queries.invalidateQueries();
  wasOffline = isOffline;
});

/**
 * Reads a resource. A known value shows at once and is refreshed in the background.
 * @param key begins with the domain of the contract, so that `refresh('projects')` finds it.
 * @param poll asks for changes while the window is visible.
 * @param part names what is missing on a page that shows no failure of this resource itself.
 * @param isRunning whether a value shows work that runs in the background: it is asked for more often.
 */
export const useResource = <Data>(
  key: readonly [domain: string, ...unknown[]],
  read: (signal: AbortSignal) => Promise<Data>,
  {
    poll = false,
    isRunning = () => false,
    isEnabled = true,
    part,
  }: {
    readonly poll?: boolean;
    readonly isRunning?: (value: Data) => boolean;
    readonly isEnabled?: boolean;
    readonly part?: string;
  } = {},
): UseQueryResult<Data> =>
  useQuery({
    queryKey: key,
    queryFn: ({ signal }) => read(signal),
    enabled: isEnabled,
    ...(part !== undefined && { meta: { part } }),
    // Another page of the same list is better than nothing; another record would be a wrong one.
    placeholderData: (before, query) =>
      typeof key.at(-1) === 'object' && hashKey(query?.queryKey.slice(0, -1) ?? []) === hashKey(key.slice(0, -1))
        ? before
        : undefined,
    refetchInterval: ({ state: { data, error } }) => {
      if (!poll || (error instanceof ApiError && error.status < 500)) return false;
      return data !== undefined && isRunning(data) ? PROGRESS_MS : POLL_MS;
    },
  });

interface CursorPage<Entry> {
  readonly data: readonly Entry[];
  readonly meta: { readonly nextAfter: string | null };
}

/** The entries of a list with a cursor, as far as they were loaded. */
export type CursorPages<Entry> = UseInfiniteQueryResult<readonly Entry[]>;

/** Reads a list with a cursor, page after page. All loaded pages are read again when the list is refreshed. */
export const useCursorPages = <Entry>(
  key: readonly [domain: string, ...unknown[]],
  read: (after: string | undefined, signal: AbortSignal) => Promise<CursorPage<Entry>>,
  { poll = false }: { readonly poll?: boolean } = {},
): CursorPages<Entry> =>
  useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => read(pageParam, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ meta }) => meta.nextAfter ?? undefined,
    select: ({ pages }) => pages.flatMap(({ data }) => data),
    refetchInterval: ({ state }) =>
      poll && !(state.error instanceof ApiError && state.error.status < 500) ? POLL_MS : false,
  });

/** Reads resources of these domains again, after a change. */
export const refresh = async (...domains: readonly string[]): Promise<void> => {
  await Promise.all(domains.map((domain) => queries.invalidateQueries({ queryKey: [domain] })));
};

/** Reads everything again that the page could not read, so that one press of `Retry` is enough. */
export const retryFailed = async (): Promise<void> =>
  await queries.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' });

/** How long after the last change of a series its lists are read again, in milliseconds. */
const SERIES_MS = 1500;

let pendingRefresh: ReturnType<typeof setTimeout> | undefined;

/** Reads these resources again after a series of quick changes, which would otherwise exceed the rate limit. */
export const refreshSoon = (...keys: readonly (readonly [domain: string, ...unknown[]])[]): void => {
  clearTimeout(pendingRefresh);
  pendingRefresh = setTimeout(() => {
    for (const queryKey of keys) void queries.invalidateQueries({ queryKey });
  }, SERIES_MS);
};
