import type { Batch, BatchCounts, BatchOutcome, BatchState } from '#contract/batches.ts';
import { formatNumber } from '../format.ts';
import * as strings from '../strings.ts';
import { Badge } from './badge.tsx';

export const outcomes = ['created', 'updated', 'skipped', 'failed'] as const satisfies readonly BatchOutcome[];

const tones = { running: 'accent', done: 'good', failed: 'bad', cancelled: 'wait', reverted: 'neutral' } as const;

/** @param revertedBy is the batch that reverts this one, also while it runs. */
export const BatchStateBadge = ({
  state,
  revertedBy = null,
}: {
  readonly state: BatchState;
  readonly revertedBy?: string | null;
}) =>
  revertedBy !== null && state !== 'reverted' ? (
    <Badge tone="accent">{strings.batch.beingReverted}</Badge>
  ) : (
    <Badge tone={tones[state]}>{strings.batch.states[state]}</Badge>
  );

/** The results that occur, with their numbers. */
export const Counts = ({ counts }: { readonly counts: BatchCounts }) => (
  <span className="number">
    {outcomes
      .filter((outcome) => counts[outcome] > 0)
      .map((outcome) => `${formatNumber(counts[outcome])} ${strings.batch.outcomes[outcome].toLowerCase()}`)
      .join(' · ')}
  </span>
);

/** Whether the service would revert the batch. */
export const isRevertible = ({ kind, state, reverted_by }: Batch): boolean =>
  kind !== 'revert' && reverted_by === null && state !== 'running' && state !== 'reverted';
