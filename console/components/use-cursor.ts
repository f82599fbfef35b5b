import { type RefObject, useEffect, useRef, useState } from 'react';
import { useKeys } from '../app/keys.tsx';
import * as strings from '../strings.ts';

type ItemKeys<Item> = Readonly<Record<string, { readonly label: string; readonly run: (item: Item) => void }>>;

/**
 * A cursor on the items of a list that is no table; `j` and `k` move it.
 * @param keys act on the item under the cursor, which has `data-cursor`.
 */
export const useCursor = <Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
  keys: ItemKeys<Item> = {},
): { readonly list: RefObject<HTMLUListElement | null>; readonly isCurrent: (item: Item) => boolean } => {
  const [cursor, setCursor] = useState<string>();
  const list = useRef<HTMLUListElement>(null);
  const at = items.findIndex((item) => idOf(item) === cursor);
  const move = (step: number) => {
    const next = items[Math.max(0, Math.min(items.length - 1, at + step))];
    if (next) setCursor(idOf(next));
  };
  useEffect(() => {
    if (cursor !== undefined) list.current?.querySelector('[data-cursor="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [cursor]);
  useKeys({
    j: { label: strings.table.next, run: () => move(1) },
    k: { label: strings.table.previous, run: () => move(-1) },
    ...Object.fromEntries(
      Object.entries(keys).map(([key, { label, run }]) => [
        key,
        {
          label,
          run: () => {
            const { [at]: item } = items;
            if (item !== undefined) run(item);
          },
        },
      ]),
    ),
  });
  return { list, isCurrent: (item) => idOf(item) === cursor };
};
