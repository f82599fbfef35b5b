import { useState } from 'react';
import { Link } from 'wouter';
import type { Batch } from '#contract/batches.ts';
import { bodyOf, client } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { useHref, useUrl } from '../../app/url.ts';
import { BatchStateBadge, Counts, isRevertible } from '../../components/batch.tsx';
import { Button } from '../../components/button.tsx';
import { PagedTable } from '../../components/paged-table.tsx';
import { RevertConfirm } from '../../components/revert-confirm.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const columnsFor = (hrefOf: (id: string) => string, onRevert: (batch: Batch) => void): readonly Column<Batch>[] => [
  {
    id: 'summary',
    label: text.columns.summary,
    kind: 'main',
    cell: ({ id, kind, summary }) => (
      <>
        <Link href={hrefOf(id)} className="truncate block">
          <bdi>{summary}</bdi>
        </Link>
        <span className="soft small">{text.kinds[kind]}</span>
      </>
    ),
  },
  {
    id: 'state',
    label: text.columns.state,
    cell: ({ state, reverted_by }) => <BatchStateBadge state={state} revertedBy={reverted_by} />,
  },
  {
    id: 'items',
    label: text.columns.items,
    kind: 'minor',
    cell: ({ counts }) => <Counts counts={counts} />,
  },
  {
    id: 'actor',
    label: text.columns.actor,
    kind: 'minor',
    cell: ({ actor }) => <UserLink user={actor} />,
  },
  { id: 'at', label: text.columns.at, kind: 'minor', cell: ({ at }) => <Time at={at} isAge /> },
  {
    id: 'revert',
    label: text.columns.action,
    cell: (batch) => isRevertible(batch) && <Button onClick={() => onRevert(batch)}>{strings.actions.revert}</Button>,
  },
];

/** All batches, newest first. */
export const BatchList = () => {
  const [parameters, change] = useUrl();
  const hrefWith = useHref();
  const [reverted, setReverted] = useState<Batch>();
  const query = { page: Number(parameters.get('page') ?? 1) };
  const batches = useResource(['batches', 'list', query], (signal) => bodyOf(client.batches.list({ query, signal })), {
    poll: true,
  });
  return (
    <>
      <p className="soft lead">{text.text}</p>
      <PagedTable
        query={batches}
        empty={text.empty}
        emptyText={text.emptyText}
        label={text.list}
        columns={columnsFor((id) => hrefWith({ open: id }), setReverted)}
        idOf={({ id }) => id}
        nameOf={({ summary }) => summary}
        onOpen={({ id }) => change({ open: id })}
      />
      {reverted && <RevertConfirm batch={reverted} onClose={() => setReverted(undefined)} />}
    </>
  );
};
