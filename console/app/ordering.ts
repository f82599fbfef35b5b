import { queries } from './queries.ts';

/** Between the numbers of neighbours, so that an entry of another client can be put in. */
const ORDER_STEP = 10;

interface Ordered {
  readonly id: string;
  readonly sort_order: number;
}

/**
 * Shows a list in an order at once, and writes the numbers that differ from the positions.
 * @param key of the resource that has the whole list.
 */
export const storeOrder = async <T extends Ordered>(
  key: readonly string[],
  entries: readonly T[],
  write: (id: string, sortOrder: number) => Promise<unknown>,
  refreshed: () => Promise<unknown>,
): Promise<void> => {
  await queries.cancelQueries({ queryKey: key, exact: true });
  const known = new Map(queries.getQueryData<readonly T[]>(key)?.map((one) => [one.id, one.sort_order]));
  const next = entries.map((one, at) => ({ ...one, sort_order: (at + 1) * ORDER_STEP }));
  queries.setQueryData(key, next);
  try {
    for (const { id, sort_order } of next) if (known.get(id) !== sort_order) await write(id, sort_order);
  } finally {
    await refreshed();
  }
};
