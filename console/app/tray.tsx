import { type ReactNode, useEffect } from 'react';
import { Link } from 'wouter';
import type { Import } from '#contract/imports.ts';
import { client, dataOf, messageOf } from '../api.ts';
import { Button } from '../components/button.tsx';
import { changedBy, useBatch } from '../components/revert-progress.tsx';
import { formatPercent } from '../format.ts';
import * as strings from '../strings.ts';
import { refresh, useResource } from './queries.ts';
import { useStore } from './store.ts';
import { forgetWork, type Work, work } from './work.ts';
import { text } from './work-strings.ts';

/** @param share of the work that is done; undefined after its end. */
const Entry = ({
  id,
  title,
  href,
  share,
  outcome,
}: Work & { readonly href: string; readonly share: number | undefined; readonly outcome: ReactNode }) => {
  const isDone = share === undefined;
  useEffect(() => {
    if (isDone) void refresh('imports', 'batches', 'projects', 'categories');
  }, [isDone]);
  return (
    <li className="toast">
      <div className="grow shrink">
        <Link href={href} className="truncate block">
          <bdi>{title}</bdi>
        </Link>
        {isDone ? (
          <p role="status">{outcome}</p>
        ) : (
          <span className="row">
            <progress aria-label={text.progress(title)} max={1} value={share} />
            <span className="number small">{formatPercent(share)}</span>
          </span>
        )}
      </div>
      {isDone && <Button kind="quiet" icon="close" label={text.dismiss(title)} onClick={() => forgetWork(id)} />}
    </li>
  );
};

const ACTIVE: ReadonlySet<Import['state']> = new Set(['checking', 'running']);

const ImportEntry = (one: Work) => {
  const { data, error } = useResource(
    ['imports', one.id],
    (signal) => dataOf(client.imports.read({ params: { import: one.id }, signal })),
    { poll: true, isRunning: ({ state }) => ACTIVE.has(state) },
  );
  const isActive = data ? ACTIVE.has(data.state) : error === null;
  const outcome = data ? text.imports(data) : messageOf(error);
  return (
    <Entry
      {...one}
      href={`/imports?open=${one.id}`}
      share={isActive ? (data?.rows_done ?? 0) / Math.max(1, data?.rows_total ?? 1) : undefined}
      outcome={outcome}
    />
  );
};

/** A revert; the batch that it reverts has the number of listings. */
const RevertEntry = (one: Work) => {
  const { data, error } = useBatch(one.id);
  const isActive = data ? data.state === 'running' : error === null;
  const { created = 0, updated = 0, skipped = 0, failed = 0 } = data?.counts ?? {};
  const total = useBatch(data?.reverts ?? one.id).data;
  const done = created + updated + skipped + failed;
  return (
    <Entry
      {...one}
      href={`/batches?open=${one.id}`}
      share={isActive ? Math.min(1, done / Math.max(1, total ? changedBy(total) : 1)) : undefined}
      outcome={data ? strings.batch.reverted(created + updated, skipped + failed) : messageOf(error)}
    />
  );
};

/** Imports and reverts that the user has started, with their progress and outcome, on every page and after a reload. */
export const Tray = () => (
  <ul className="tray" aria-label={text.heading}>
    {useStore(work).map((one) =>
      one.id.startsWith('imp_') ? <ImportEntry key={one.id} {...one} /> : <RevertEntry key={one.id} {...one} />,
    )}
  </ul>
);
