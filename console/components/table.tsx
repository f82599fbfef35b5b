import { type MouseEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useKeys } from '../app/keys.tsx';
import type { Feature } from '../app/session.ts';
import * as strings from '../strings.ts';

export interface Column<Row> {
  readonly id: string;
  readonly label: string;
  /** The feature that its values come from; while it is off, the column is left out. */
  readonly feature?: Feature;
  readonly cell: (row: Row) => ReactNode;
  /** `main` takes the remaining width, `end` is for numbers, `minor` is hidden on narrow screens, `actions` has buttons. */
  readonly kind?: 'main' | 'end' | 'minor' | 'end minor' | 'actions';
  /** Sorts the list by this column. */
  readonly onSort?: (() => void) | undefined;
  readonly isSorted?: 'ascending' | 'descending' | undefined;
}

export interface Selection {
  readonly ids: ReadonlySet<string>;
  readonly onChange: (ids: ReadonlySet<string>) => void;
}

/** The selected ids, with one more or one less. */
export const toggled = (ids: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
};

const cellClass = (kind: Column<unknown>['kind']): string | undefined => (kind === 'main' ? 'main-cell' : kind);

/** Whether a click in a row is for something inside of it, or selects text. */
const isOwnClick = ({ target }: MouseEvent): boolean =>
  (target as Element).closest('a, button, input, label, select, summary') !== null ||
  getSelection()?.isCollapsed === false;

/**
 * Rows of a list, with a cursor that `j` and `k` move. `Enter` opens the row under it, `x` selects it.
 * @param nameOf is the accessible name of a row's checkbox.
 */
export const Table = <Row,>({
  label,
  columns,
  rows,
  idOf,
  nameOf,
  onOpen,
  selection,
}: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
  readonly onOpen?: (row: Row) => void;
  readonly selection?: Selection;
}) => {
  const [cursor, setCursor] = useState<string>();
  const body = useRef<HTMLTableSectionElement>(null);
  const at = rows.findIndex((row) => idOf(row) === cursor);
  const current = rows[at];
  const move = (step: number) => {
    const next = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
    if (next) setCursor(idOf(next));
  };
  useEffect(() => {
    if (cursor !== undefined) body.current?.querySelector('[data-cursor="true"]')?.scrollIntoView({ block: 'nearest' });
  }, [cursor]);
  useKeys({
    j: { label: strings.table.next, run: () => move(1) },
    k: { label: strings.table.previous, run: () => move(-1) },
    ...(onOpen && {
      Enter: { label: strings.table.openRow, run: () => current && onOpen(current) },
    }),
    ...(selection && {
      x: {
        label: strings.table.selectRow,
        run: () => current && selection.onChange(toggled(selection.ids, idOf(current))),
      },
    }),
  });
  const isAllSelected = selection !== undefined && rows.length > 0 && rows.every((row) => selection.ids.has(idOf(row)));
  const selectAll = (isSelected: boolean) => {
    const next = new Set(selection?.ids);
    for (const row of rows) {
      if (isSelected) next.add(idOf(row));
      else next.delete(idOf(row));
    }
    selection?.onChange(next);
  };
  return (
    // A scrolling region must be reachable by keyboard.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls.
    <section className="table-frame" tabIndex={0} aria-label={label}>
      <table className="table">
        <thead>
          <tr>
            {selection && (
              <th className="select">
                <input
                  type="checkbox"
                  aria-label={strings.table.selectAll}
                  checked={isAllSelected}
                  onChange={(event) => selectAll(event.target.checked)}
                />
              </th>
            )}
            {columns.map(({ id, label: heading, kind, onSort, isSorted }) => (
              <th key={id} className={cellClass(kind)} aria-sort={isSorted}>
                {onSort ? (
                  <button type="button" title={strings.table.sortBy(heading)} onClick={onSort}>
                    {heading}
                    {isSorted && (isSorted === 'ascending' ? ' ↑' : ' ↓')}
                  </button>
                ) : (
                  heading
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((row) => {
            const id = idOf(row);
            const isSelected = selection?.ids.has(id) ?? false;
            return (
              // The keyboard has `Enter` on the cursor, and the link in the row.
              <tr
                key={id}
                data-cursor={id === cursor}
                data-opens={onOpen !== undefined}
                aria-selected={selection && isSelected}
                onClick={onOpen && ((event) => isOwnClick(event) || onOpen(row))}
              >
                {selection && (
                  <td className="select">
                    <input
                      type="checkbox"
                      aria-label={strings.table.select(nameOf(row))}
                      checked={isSelected}
                      onChange={() => selection.onChange(toggled(selection.ids, id))}
                    />
                  </td>
                )}
                {columns.map(({ id: column, kind, cell }) => (
                  <td key={column} className={cellClass(kind)}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
};
