import type { Category } from '#contract/categories.ts';
import { client, dataOf } from '../../api.ts';
import { queries, refresh } from '../../app/queries.ts';

/** Lists show a change within a second; until then they would show the old state. */
const LISTED_AFTER_MS = 1200;

/** Reads the categories again, at once and when every list shows the change. */
export const refreshCategories = async (): Promise<void> => {
  setTimeout(() => void refresh('categories', 'projects'), LISTED_AFTER_MS);
  await refresh('categories', 'projects');
};

/** The categories of one request, because the service writes them in one transaction. */
const REORDER_MAX = 99;

/** Shows an order at once and stores it. @throws what the request throws, after the stored order was read again. */
export const storeOrder = async (
  shown: readonly Category[],
  positions: readonly { readonly id: string; readonly sort_order: number; readonly sphere: string | null }[],
): Promise<void> => {
  await queries.cancelQueries({ queryKey: ['categories'], exact: true });
  queries.setQueryData(['categories'], shown);
  try {
    for (let at = 0; at < positions.length; at += REORDER_MAX) {
      const stored = await dataOf(client.categories.reorder({ body: positions.slice(at, at + REORDER_MAX) }));
      if (at + REORDER_MAX >= positions.length) queries.setQueryData(['categories'], stored);
    }
  } catch (error) {
    await refreshCategories();
    throw error;
  }
};

/** How often the batch of a removal or merge is read, and how long at most, until it has ended, in milliseconds. */
const ENDING_POLL_MS = 500;
const ENDING_MAX_MS = 60_000;

/** Waits for the end of a batch, which follows the response soon. */
const untilEnded = async (batch: string): Promise<void> => {
  const until = Date.now() + ENDING_MAX_MS;
  while (Date.now() < until) {
    const { state } = await dataOf(client.batches.read({ params: { batch } }));
    if (state !== 'running') return;
    await new Promise((resolve) => setTimeout(resolve, ENDING_POLL_MS));
  }
};

/** Takes a removal or merge back. @throws 409 when its batch is still running after a minute. */
export const revertBatch = async (batch: string): Promise<void> => {
  await untilEnded(batch);
  await dataOf(client.batches.revert({ params: { batch } }));
  await refreshCategories();
};
