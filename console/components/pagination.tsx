import type { ReactNode } from 'react';
import { formatNumber } from '../format.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';

/** The pages of a list that is paged by number. */
export const Pagination = ({
  meta: { total, page, pageSize, hasMore },
  onPage,
  size,
}: {
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly pageSize: number;
    readonly hasMore: boolean;
  };
  readonly onPage: (page: number) => void;
  /** A field for the number of rows on a page. */
  readonly size?: ReactNode;
}) => {
  const last = Math.max(1, Math.ceil(total / pageSize));
  const from = Math.min(total, (page - 1) * pageSize + 1);
  const to = Math.min(total, page * pageSize);
  return (
    <div className="pagination">
      <span className="soft number">
        {strings.table.range(formatNumber(from), formatNumber(to), formatNumber(total))}
      </span>
      {size}
      <span className="row push">
        {last > 2 && (
          <form
            key={page}
            onSubmit={(event) => {
              event.preventDefault();
              const wanted = Math.trunc(Number(new FormData(event.currentTarget).get('page')));
              if (wanted >= 1) onPage(Math.min(last, wanted));
            }}
          >
            <label className="row">
              <span className="soft">{strings.table.page}</span>
              <input className="input page-number" name="page" inputMode="numeric" defaultValue={page} />
              <span className="soft number">{strings.table.ofPages(formatNumber(last))}</span>
            </label>
          </form>
        )}
        <Button
          icon="previous"
          label={strings.table.previousPage}
          isDisabled={page <= 1}
          onClick={() => onPage(page - 1)}
        />
        <Button icon="next" label={strings.table.nextPage} isDisabled={!hasMore} onClick={() => onPage(page + 1)} />
      </span>
    </div>
  );
};
