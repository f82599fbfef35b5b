import type { ComponentProps, ReactNode } from 'react';
import { useResource } from '../app/queries.ts';
import { useUrl } from '../app/url.ts';
import { SelectField } from './fields.tsx';
import { Pagination } from './pagination.tsx';
import { EmptyState, Loaded } from './states.tsx';
import { useCursor } from './use-cursor.ts';

/** Fewer than in tables: rows have forms. */
const ROWS_PER_PAGE = 20;

/**
 * A list with a filter, a cursor and pages, whose rows are larger than those of a table. The filter is in the URL, and its
 * first value is the usual one.
 * @param focusNote is the text of the shortcut that moves to the first text area of the row under the cursor.
 */
export const FilteredRows = <Row, Filter extends string>({
  resource,
  read,
  parameter,
  filters,
  text,
  idOf,
  lead,
  focusNote,
  children,
}: {
  /** The beginning of the key of the list. */
  readonly resource: readonly [domain: string, name: string];
  readonly read: (
    filter: Filter,
    paging: { readonly page: number; readonly limit: number },
    signal: AbortSignal,
  ) => Promise<{ readonly data: readonly Row[]; readonly meta: ComponentProps<typeof Pagination>['meta'] }>;
  /** The name of the filter in the URL. */
  readonly parameter: string;
  readonly filters: readonly [Filter, ...Filter[]];
  readonly text: {
    readonly filter: string;
    readonly filters: Readonly<Record<Filter, string>>;
    readonly empty: string;
    readonly emptyText: string;
    readonly list: string;
  };
  readonly idOf: (row: Row) => string;
  readonly lead?: ReactNode;
  readonly focusNote?: string;
  readonly children: (row: Row) => ReactNode;
}) => {
  const [url, change] = useUrl();
  const filter = filters.find((one) => one === url.get(parameter)) ?? filters[0];
  const paging = { page: Number(url.get('page') ?? 1), limit: ROWS_PER_PAGE };
  const query = useResource([...resource, { ...paging, filter }], (signal) => read(filter, paging, signal), {
    poll: true,
  });
  const { list, isCurrent } = useCursor(
    query.data?.data ?? [],
    idOf,
    focusNote === undefined
      ? {}
      : {
          r: {
            label: focusNote,
            run: () => list.current?.querySelector<HTMLElement>('[data-cursor="true"] textarea')?.focus(),
          },
        },
  );
  return (
    <>
      <div className="filter-bar">
        <SelectField
          name={parameter}
          label={text.filter}
          value={filter}
          options={filters.map((one) => [one, text.filters[one]])}
          onChange={(next) => change({ [parameter]: next === filters[0] ? undefined : next, page: undefined })}
        />
      </div>
      <Loaded query={query}>
        {({ data, meta }) =>
          data.length === 0 ? (
            <EmptyState title={text.empty}>
              <p>{text.emptyText}</p>
            </EmptyState>
          ) : (
            <div className="stack">
              {lead}
              <ul className="card rows" ref={list} aria-label={text.list}>
                {data.map((row) => (
                  <li key={idOf(row)} data-cursor={isCurrent(row)}>
                    {children(row)}
                  </li>
                ))}
              </ul>
              <Pagination meta={meta} onPage={(page) => change({ page: page === 1 ? undefined : page })} />
            </div>
          )
        }
      </Loaded>
    </>
  );
};
