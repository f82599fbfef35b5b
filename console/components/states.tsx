import type { UseQueryResult } from '@tanstack/react-query';
import { Inbox } from 'lucide-react';
import type { ReactNode } from 'react';
import { ApiError, messageOf } from '../api.ts';
import { retryFailed } from '../app/queries.ts';
import * as strings from '../strings.ts';
import { Button } from './button.tsx';

export const EmptyState = ({ title, children }: { readonly title: string; readonly children?: ReactNode }) => (
  <div className="state">
    <Inbox size={28} aria-hidden />
    <h2>{title}</h2>
    {children}
  </div>
);

export const Loading = ({ rows = 6 }: { readonly rows?: number }) => (
  <div className="stack" role="status" aria-label={strings.states.loading}>
    {Array.from({ length: rows }, (_, row) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike.
      <span key={row} className="skeleton" />
    ))}
  </div>
);

/** Why something could not be loaded, and what can be done. */
export const Failure = ({ error, onRetry }: { readonly error: unknown; readonly onRetry: () => void }) => {
  const { status, code } = error instanceof ApiError ? error : { status: 0, code: '' };
  if (status === 403 && code !== 'EMAIL_UNVERIFIED') {
    return (
      <EmptyState title={strings.states.forbidden}>
        <p role="alert">{strings.states.forbiddenText}</p>
      </EmptyState>
    );
  }
  if (status === 404) {
    return (
      <EmptyState title={strings.states.notFound}>
        <p role="alert">{strings.states.notFoundText}</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={strings.errors.heading}>
      <p role="alert">{messageOf(error)}</p>
      <Button onClick={onRetry}>{strings.actions.retry}</Button>
    </EmptyState>
  );
};

/** Shows what a query has loaded, or the state that it is in. Loaded data stays while it is refreshed. */
export const Loaded = <Data,>({
  query,
  rows,
  placeholder,
  children,
}: {
  readonly query: Pick<UseQueryResult<Data>, 'data' | 'isError' | 'error'>;
  readonly rows?: number;
  /** What stands in place of the data until it is there, in its form. */
  readonly placeholder?: ReactNode;
  readonly children: (data: Data) => ReactNode;
}) => {
  if (query.data !== undefined) return children(query.data);
  if (query.isError) return <Failure error={query.error} onRetry={() => void retryFailed()} />;
  if (placeholder !== undefined) return placeholder;
  return <Loading {...(rows !== undefined && { rows })} />;
};
