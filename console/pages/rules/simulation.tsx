import { useState } from 'react';
import { Link } from 'wouter';
import type { RuleBody, SimulationResult } from '#contract/rules.ts';
import { client, dataOf } from '../../api.ts';
import { useResource } from '../../app/queries.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { ErrorMessage } from '../../components/error-message.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { OutcomeBadge } from './outcome-badge.tsx';
import { text } from './strings.ts';

/** A rule of the list or a changed one; only what decides about submissions is sent. */
type SimulatedRule = Omit<RuleBody, 'is_active' | 'order'>;

const sizes = ['50', '200', '1000'] as const;
const outcomes = ['approve', 'reject', 'hold', 'none'] as const;

type Item = SimulationResult['items'][number];

const columns: readonly Column<Item>[] = [
  {
    id: 'listing',
    label: text.columns.listing,
    kind: 'main',
    cell: ({ project }) => (
      <Link href={`/listings?open=${project.id}`} className="truncate block">
        <bdi>{project.name}</bdi>
      </Link>
    ),
  },
  {
    id: 'now',
    label: text.columns.now,
    kind: 'minor',
    cell: ({ project }) => <StatusBadge listing={project} />,
  },
  { id: 'outcome', label: text.columns.outcome, cell: ({ action }) => <OutcomeBadge outcome={action} /> },
  {
    id: 'rule',
    label: text.columns.rule,
    kind: 'minor',
    cell: ({ rule, has_failed }) => (
      <span className="shrink">
        <bdi>{rule?.name}</bdi>
        {has_failed && <span className="soft"> · {text.hasFailed}</span>}
      </span>
    ),
  },
];

const Result = ({ result: { counts, items } }: { readonly result: SimulationResult }) => {
  const matched = items.filter(({ action }) => action !== 'none');
  return (
    <>
      <p className="row" role="status">
        {outcomes.map((outcome) => (
          <span key={outcome} className="row tight">
            <OutcomeBadge outcome={outcome} /> <strong className="number">{formatNumber(counts[outcome])}</strong>
          </span>
        ))}
      </p>
      {matched.length === 0 ? (
        <p className="soft">{text.noMatches}</p>
      ) : (
        <div className="scroll-box">
          <Table
            label={text.matched}
            columns={columns}
            rows={matched}
            idOf={({ project }) => project.id}
            nameOf={({ project }) => project.name}
          />
        </div>
      )}
    </>
  );
};

/** What rules would have done with the latest submissions, and where it is given, the action to take after seeing it. */
export const SimulationDialog = ({
  title,
  rules,
  action,
  onConfirm,
  onClose,
}: {
  readonly title: string;
  /** In their order; all count as active. */
  readonly rules: readonly SimulatedRule[];
  readonly action?: string;
  readonly onConfirm?: () => Promise<unknown>;
  readonly onClose: () => void;
}) => {
  const [last, setLast] = useState<(typeof sizes)[number]>('200');
  const [state, setState] = useState<'asking' | 'running' | { readonly error: unknown }>('asking');
  const body = {
    last: Number(last),
    rules: rules.map(({ name, when, action: outcome, reason, note }) => ({
      name,
      when,
      action: outcome,
      reason,
      note,
      is_active: true,
    })),
  };
  // A text as key: the result of other rules must not stand in for this one.
  const result = useResource(['simulation', JSON.stringify(body)], (signal) =>
    dataOf(client.rules.simulate({ body, signal })),
  );
  const confirm = async () => {
    setState('running');
    try {
      await onConfirm?.();
      onClose();
    } catch (error) {
      setState({ error });
    }
  };
  return (
    <Dialog title={title} isWide onClose={onClose}>
      <div className="row apart end-aligned">
        <p className="soft">{text.simulationText}</p>
        <SelectField
          name="last"
          label={text.last}
          value={last}
          options={sizes.map((size) => [size, formatNumber(Number(size))])}
          onChange={setLast}
        />
      </div>
      <Loaded query={result}>{(data) => <Result result={data} />}</Loaded>
      {typeof state === 'object' && <ErrorMessage error={state.error} />}
      <DialogActions>
        <Button onClick={onClose}>{action === undefined ? strings.actions.close : strings.actions.cancel}</Button>
        {action !== undefined && (
          <Button kind="primary" isDisabled={state === 'running' || !result.data} onClick={() => void confirm()}>
            {action}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
};
