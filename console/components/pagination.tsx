import { formatNumber } from '../format.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';

/** The pages of a list that is paged by number. */
export const Pagination = ({
  meta: { total, page, pageSize, hasMore },
  onPage,
}: {
  readonly meta: {
    readonly total: number;
    readonly page: number;
    readonly pageSize: number;
    readonly hasMore: boolean;
  };
  readonly onPage: (page: number) => void;
}) => {
  const from = Math.min(total, (page - 1) * pageSize + 1);
  const to = Math.min(total, page * pageSize);
  return (
    <div className="pagination">
      <span className="soft number">
        {strings.table.range(formatNumber(from), formatNumber(to), formatNumber(total))}
      </span>
      <span className="row push">
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
