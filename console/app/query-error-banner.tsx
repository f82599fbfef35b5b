import type { Query } from '@tanstack/react-query';
import { useMemo, useSyncExternalStore } from 'react';
import { messageOf, NetworkError } from '../api.ts';
import { Button } from '../components/button.tsx';
import { Time } from '../components/time.tsx';
import * as strings from '../strings.ts';
import { queries, retryFailed } from './queries.ts';

/** Whether a query of this page has failed while the page shows no failure; a lost connection is shown for all of them. */
const isSilent = (query: Query): boolean =>
  query.state.status === 'error' &&
  query.isActive() &&
  (query.state.data !== undefined || query.meta?.part !== undefined) &&
  !(query.state.error instanceof NetworkError);

const cache = queries.getQueryCache();
const find = (): readonly Query[] => cache.findAll({ type: 'active', predicate: isSilent });

const useSilentFailures = (): readonly Query[] => {
  const key = useSyncExternalStore(
    (listener) => cache.subscribe(listener),
    () =>
      find()
        .map(({ queryHash, state }) => `${queryHash} ${state.errorUpdatedAt}`)
        .join('\n'),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: the failures are others when the text is.
  return useMemo(find, [key]);
};

/** Says that what a page shows could not be refreshed, or that a part of it is missing. What was loaded stays. */
export const QueryErrorBanner = () => {
  const failed = useSilentFailures();
  const [first] = failed;
  if (!first) return null;
  const oldest = Math.min(...failed.map(({ state }) => state.dataUpdatedAt).filter((time) => time > 0));
  const parts = new Set(failed.filter(({ state }) => state.data === undefined).map(({ meta }) => String(meta?.part)));
  return (
    <div className="banner bad" role="status">
      <span>
        {Number.isFinite(oldest) && (
          <>
            {strings.states.notRefreshed} <Time at={new Date(oldest).toISOString()} />.{' '}
          </>
        )}
        {[...parts].map((part) => `${strings.states.notLoaded(part)} `)}
        {messageOf(first.state.error)}
      </span>
      <Button onClick={() => void retryFailed()}>{strings.actions.retry}</Button>
    </div>
  );
};
