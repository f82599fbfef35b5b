import type { ReactNode } from 'react';
import type { CursorPages } from '../app/queries.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';
import { Loaded } from './states.tsx';

/** A list that continues with a cursor: what was loaded of it, and a button for more. @param empty replaces an empty list. */
export const CursorList = <Entry,>({
  pages,
  empty,
  children,
}: {
  readonly pages: CursorPages<Entry>;
  readonly empty: ReactNode;
  readonly children: (entries: readonly Entry[]) => ReactNode;
}) => (
  <>
    <Loaded query={pages}>
      {(entries) => (entries.length === 0 && !pages.hasNextPage ? empty : children(entries))}
    </Loaded>
    {pages.hasNextPage && (
      <div className="pagination">
        <Button isDisabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          {strings.table.more}
        </Button>
      </div>
    )}
  </>
);
