import type { Batch, BatchCounts, BatchOutcome, BatchState } from '#contract/batches.ts';
import { formatNumber } from '../format.ts';
import * as strings from '../strings.ts';
import { Badge } from './badge.tsx';

export const outcomes = ['created', 'updated', 'skipped', 'failed'] as const satisfies readonly BatchOutcome[];

const tones = { running: 'accent', done: 'good', failed: 'bad', cancelled: 'wait', reverted: 'neutral' } as const;

export const BatchStateBadge = ({ state }: { readonly state: BatchState }) => (
  <Badge tone={tones[state]}>{strings.batches.states[state]}</Badge>
);

/** The results that occur, with their numbers. */
export const Counts = ({ counts }: { readonly counts: BatchCounts }) => (
  <span className="number">
    {outcomes
      .filter((outcome) => counts[outcome] > 0)
      .map((outcome) => `${formatNumber(counts[outcome])} ${strings.batches.outcomes[outcome].toLowerCase()}`)
      .join(' · ')}
  </span>
);

/** Whether the service would revert the batch. */
export const isRevertible = ({ kind, state }: Batch): boolean =>
  kind !== 'revert' && state !== 'running' && state !== 'reverted';
