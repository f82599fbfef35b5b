import type { Ledger } from '../app/queries.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';

/** Loads the next entries of a ledger, while there are any. */
export const LedgerMore = <Entry,>({ ledger }: { readonly ledger: Ledger<Entry> }) =>
  ledger.hasNextPage ? (
    <div className="pagination">
      <Button isDisabled={ledger.isFetchingNextPage} onClick={() => void ledger.fetchNextPage()}>
        {strings.table.more}
      </Button>
    </div>
  ) : null;
