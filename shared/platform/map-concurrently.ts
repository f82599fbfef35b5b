import pMap, { pMapStop } from 'p-map';

/** As many requests as the connection pool serves without queueing. */
const CONCURRENCY = 8;

interface Options {
  readonly concurrency?: number;
  /** No item is started after this time, in milliseconds of the monotonic clock. */
  readonly until?: number;
}

/**
 * Processes items, some at a time. After an error, or when the time is up, no further item is started.
 * @returns the results of the processed items in their order, and whether these are all items.
 * @throws the first error.
 */
export const mapConcurrently = async <T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  work: (item: T, index: number) => Promise<R>,
  { concurrency = CONCURRENCY, until = Number.POSITIVE_INFINITY }: Options = {},
): Promise<{ readonly results: R[]; readonly isComplete: boolean }> => {
  let isComplete = true;
  const workInTime = async (item: T, index: number): Promise<R | typeof pMapStop> => {
    if (performance.now() <= until) return await work(item, index);
    isComplete = false;
    return pMapStop;
  };
  const results = await pMap(items, workInTime, { concurrency });
  return { results, isComplete };
};
