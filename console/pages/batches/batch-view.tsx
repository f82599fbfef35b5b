import { useState } from 'react';
import { Link } from 'wouter';
import type { Batch, BatchItem } from '#contract/batches.ts';
import { bodyOf, client } from '../../api.ts';
import { useNameOfField } from '../../app/custom-fields.ts';
import { useCursorPages } from '../../app/queries.ts';
import { perform } from '../../app/toasts.tsx';
import { useHref, useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { BatchStateBadge, Counts, isRevertible, outcomes } from '../../components/batch.tsx';
import { Button } from '../../components/button.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { download } from '../../components/download.ts';
import { SelectField } from '../../components/fields.tsx';
import { RevertConfirm } from '../../components/revert-confirm.tsx';
import { RevertProgress, useBatch } from '../../components/revert-progress.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const tones = { created: 'good', updated: 'accent', skipped: 'neutral', failed: 'bad' } as const;

const ChangedFields = ({ changes }: Pick<BatchItem, 'changes'>) =>
  changes
    .map(({ field }) => field)
    .map(useNameOfField())
    .join(', ');

const columns: readonly Column<BatchItem>[] = [
  {
    id: 'row',
    label: text.itemColumns.row,
    kind: 'end minor',
    cell: ({ row }) => row !== null && formatNumber(row),
  },
  {
    id: 'listing',
    label: text.itemColumns.listing,
    kind: 'main',
    cell: ({ project, message, reason }) => (
      <>
        {project && (
          <Link href={`/listings?open=${project.id}`} className="truncate block">
            <bdi>{project.name}</bdi>
          </Link>
        )}
        {(reason ?? message) !== null && (
          <span className="soft small prose" dir="auto">
            {reason === null ? message : text.kept[reason]}
          </span>
        )}
      </>
    ),
  },
  {
    id: 'outcome',
    label: text.itemColumns.outcome,
    cell: ({ outcome }) => <Badge tone={tones[outcome]}>{strings.batch.outcomes[outcome]}</Badge>,
  },
  {
    id: 'changes',
    label: text.itemColumns.changes,
    kind: 'minor',
    cell: ({ changes }) => <ChangedFields changes={changes} />,
  },
];

const Items = ({ batch }: { readonly batch: Batch }) => {
  const [parameters, change] = useUrl();
  const outcome = outcomes.find((one) => one === parameters.get('outcome'));
  const items = useCursorPages(
    ['batches', 'items', batch.id, outcome],
    (after, signal) =>
      bodyOf(
        client.batches.listItems({
          params: { batch: batch.id },
          query: { ...(outcome && { outcome }), ...(after !== undefined && { after }) },
          signal,
        }),
      ),
    { poll: batch.state === 'running' },
  );
  return (
    <section>
      <div className="filter-bar">
        <SelectField
          name="outcome"
          label={text.outcome}
          value={outcome ?? 'all'}
          options={[
            ['all', strings.fields.all] as const,
            ...outcomes.map((one) => [one, strings.batch.outcomes[one]] as const),
          ]}
          onChange={(next) => change({ outcome: next === 'all' ? undefined : next }, { replace: true })}
        />
      </div>
      <CursorList pages={items} empty={<p className="soft">{text.noItems}</p>}>
        {(all) => (
          <Table
            label={text.items}
            columns={columns}
            rows={all}
            idOf={({ row, project }) => `${row} ${project?.id}`}
            nameOf={({ project }) => project?.name ?? ''}
          />
        )}
      </CursorList>
    </section>
  );
};

/** A batch with its items. */
export const BatchView = ({ id }: { readonly id: string }) => {
  const hrefWith = useHref();
  const [isReverting, setReverting] = useState(false);
  const query = useBatch(id);
  const downloadErrors = () =>
    perform(async () =>
      download(await bodyOf(client.batches.exportErrors({ params: { batch: id } })), `errors-${id}.csv`),
    );
  const hrefOfBatch = (other: string) => hrefWith({ open: other, outcome: undefined });
  return (
    <div className="stack">
      <Link href={hrefWith({ open: undefined, outcome: undefined })}>← {text.back}</Link>
      <Loaded query={query}>
        {(batch) => (
          <>
            <section className="card row apart">
              <div className="stack tight shrink grow">
                <div className="row">
                  <h2 dir="auto" className="shrink">
                    {batch.summary}
                  </h2>
                  <BatchStateBadge state={batch.state} revertedBy={batch.reverted_by} />
                </div>
                <p className="soft">
                  {text.kinds[batch.kind]} · <UserLink user={batch.actor} /> · <Time at={batch.at} /> ·{' '}
                  <Counts counts={batch.counts} />
                </p>
                {batch.reverts !== null && (
                  <p>
                    <Link href={hrefOfBatch(batch.reverts)}>{text.reverts}</Link>
                  </p>
                )}
                {batch.state === 'reverted' && batch.reverted_by !== null && (
                  <p>
                    <Link href={hrefOfBatch(batch.reverted_by)}>{text.revertedBy}</Link>
                  </p>
                )}
              </div>
              <RevertProgress batch={batch} />
              <span className="row">
                {batch.kind === 'import' && batch.counts.failed > 0 && (
                  <Button onClick={() => void downloadErrors()}>{text.errors}</Button>
                )}
                {isRevertible(batch) && (
                  <Button kind="danger" onClick={() => setReverting(true)}>
                    {strings.actions.revert}
                  </Button>
                )}
              </span>
            </section>
            <Items batch={batch} />
            {isReverting && <RevertConfirm batch={batch} onClose={() => setReverting(false)} />}
          </>
        )}
      </Loaded>
    </div>
  );
};
