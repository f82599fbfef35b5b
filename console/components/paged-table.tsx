import type { UseQueryResult } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { useUrl } from '../app/url.ts';
import { LoadingTable } from './loading-table.tsx';
import { Pagination } from './pagination.tsx';
import { EmptyState, Loaded } from './states.tsx';
import { Table } from './table.tsx';

/**
 * A list that is paged by number, as a table. The number of the page is in the URL.
 * @param first is the id of the row that stands first when it is on the page.
 */
export const PagedTable = <Row,>({
  query,
  empty,
  emptyText,
  first = null,
  ...table
}: Omit<ComponentProps<typeof Table<Row>>, 'rows'> & {
  readonly query: UseQueryResult<{
    readonly data: readonly Row[];
    readonly meta: ComponentProps<typeof Pagination>['meta'];
  }>;
  readonly empty: string;
  readonly emptyText: string;
  readonly first?: string | null;
}) => {
  const [, change] = useUrl();
  const isFirst = (row: Row) => Number(table.idOf(row) === first);
  return (
    <Loaded query={query} placeholder={<LoadingTable columns={table.columns} />}>
      {({ data, meta }) =>
        data.length === 0 ? (
          <EmptyState title={empty}>
            <p>{emptyText}</p>
          </EmptyState>
        ) : (
          <>
            <Table
              {...table}
              rows={first === null ? data : data.toSorted((one, other) => isFirst(other) - isFirst(one))}
            />
            <Pagination meta={meta} onPage={(page) => change({ page: page === 1 ? undefined : page })} />
          </>
        )
      }
    </Loaded>
  );
};
