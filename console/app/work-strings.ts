import { formatNumber } from '../format.ts';
import * as strings from '../strings.ts';

interface ImportOutcome {
  readonly state: string;
  readonly counts: { readonly created: number; readonly updated: number; readonly failed: number };
  readonly dry_run: { readonly counts: ImportOutcome['counts'] } | null;
  readonly error: string | null;
}

const outcomeOf = ({ created, updated, failed }: ImportOutcome['counts']): string =>
  `${formatNumber(created)} created, ${formatNumber(updated)} updated, ${formatNumber(failed)} failed.`;

/** The texts about work in the background, which the first load leaves out. */
export const text = {
  heading: 'Work in the background',
  progress: (title: string) => `Progress of ${title}`,
  dismiss: (title: string) => `Dismiss ${title}`,
  revertOf: (summary: string) => `Revert: ${summary}`,
  imports: ({ state, counts, dry_run, error }: ImportOutcome) => {
    if (state === 'failed') return error ?? strings.batch.states.failed;
    if (state === 'cancelled') return strings.batch.states.cancelled;
    return state === 'done' ? outcomeOf(counts) : `Dry run: ${outcomeOf(dry_run?.counts ?? counts)}`;
  },
} as const;
