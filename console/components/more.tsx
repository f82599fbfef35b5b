import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import { strings } from '../strings.ts';
import { Button } from './button.tsx';

/** Reads earlier entries of a ledger, while there are any. */
export const More = ({
  ledger: { hasNextPage, isFetchingNextPage, fetchNextPage },
}: {
  readonly ledger: Pick<UseInfiniteQueryResult, 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'>;
}) =>
  hasNextPage && (
    <div className="pagination">
      <Button isDisabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
        {strings.table.more}
      </Button>
    </div>
  );
