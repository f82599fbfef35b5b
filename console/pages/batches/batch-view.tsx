import { useState } from 'react';
import { Link } from 'wouter';
import type { Batch, BatchItem } from '#contract/batches.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { perform } from '../../app/notices.tsx';
import { useLedger, useResource } from '../../app/queries.ts';
import { useAddress, useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { BatchStateBadge, Counts, isRevertible, outcomes } from '../../components/batch.tsx';
import { Button } from '../../components/button.tsx';
import { download } from '../../components/download.ts';
import { SelectField } from '../../components/fields.tsx';
import { LedgerMore } from '../../components/ledger-more.tsx';
import { RevertConfirm } from '../../components/revert-confirm.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';

const tones = { created: 'good', updated: 'accent', skipped: 'neutral', failed: 'bad' } as const;

const columns: readonly Column<BatchItem>[] = [
  {
    id: 'row',
    label: strings.batches.itemColumns.row,
    kind: 'end minor',
    cell: ({ row }) => row !== null && formatNumber(row),
  },
  {
    id: 'listing',
    label: strings.batches.itemColumns.listing,
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
            {reason === null ? message : strings.batches.kept[reason]}
          </span>
        )}
      </>
    ),
  },
  {
    id: 'outcome',
    label: strings.batches.itemColumns.outcome,
    cell: ({ outcome }) => <Badge tone={tones[outcome]}>{strings.batches.outcomes[outcome]}</Badge>,
  },
  {
    id: 'changes',
    label: strings.batches.itemColumns.changes,
    kind: 'minor',
    cell: ({ changes }) => changes.map(({ field }) => words(field)).join(', '),
  },
];

const Items = ({ batch }: { readonly batch: Batch }) => {
  const [parameters, change] = useUrl();
  const outcome = outcomes.find((one) => one === parameters.get('outcome'));
  const items = useLedger(
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
          label={strings.batches.outcome}
          value={outcome ?? 'all'}
          options={[
            ['all', strings.fields.all] as const,
            ...outcomes.map((one) => [one, strings.batches.outcomes[one]] as const),
          ]}
          onChange={(next) => change({ outcome: next === 'all' ? undefined : next }, { replace: true })}
        />
      </div>
      <Loaded query={items}>
        {(all) =>
          all.length === 0 && !items.hasNextPage ? (
            <p className="soft">{strings.batches.noItems}</p>
          ) : (
            <Table
              label={strings.batches.items}
              columns={columns}
              rows={all}
              idOf={({ row, project }) => `${row} ${project?.id}`}
              nameOf={({ project }) => project?.name ?? ''}
            />
          )
        }
      </Loaded>
      <LedgerMore ledger={items} />
    </section>
  );
};

/** A batch with its items. */
export const BatchView = ({ id }: { readonly id: string }) => {
  const address = useAddress();
  const [isReverting, setReverting] = useState(false);
  const query = useResource(
    ['batches', 'one', id],
    (signal) => dataOf(client.batches.read({ params: { batch: id }, signal })),
    { poll: true },
  );
  const downloadErrors = () =>
    perform(async () =>
      download(await bodyOf(client.batches.exportErrors({ params: { batch: id } })), `errors-${id}.csv`),
    );
  const openAddress = (other: string) => address({ open: other, outcome: undefined });
  return (
    <div className="stack">
      <Link href={address({ open: undefined, outcome: undefined })}>← {strings.batches.back}</Link>
      <Loaded query={query}>
        {(batch) => (
          <>
            <section className="card row apart">
              <div className="stack tight shrink grow">
                <div className="row">
                  <h2 dir="auto" className="shrink">
                    {batch.summary}
                  </h2>
                  <BatchStateBadge state={batch.state} />
                </div>
                <p className="soft">
                  {strings.batches.kinds[batch.kind]} · <UserLink user={batch.actor} /> · <Time at={batch.at} /> ·{' '}
                  <Counts counts={batch.counts} />
                </p>
                {batch.reverts !== null && (
                  <p>
                    <Link href={openAddress(batch.reverts)}>{strings.batches.reverts}</Link>
                  </p>
                )}
                {batch.reverted_by !== null && (
                  <p>
                    <Link href={openAddress(batch.reverted_by)}>{strings.batches.revertedBy}</Link>
                  </p>
                )}
              </div>
              <span className="row">
                {batch.kind === 'import' && batch.counts.failed > 0 && (
                  <Button onClick={() => void downloadErrors()}>{strings.batches.errors}</Button>
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
