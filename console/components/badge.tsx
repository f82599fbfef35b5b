import type { ReactNode } from 'react';
import * as strings from '../strings.ts';

/** The meaning of a badge; its colour only repeats what its word says. */
export type Tone = 'neutral' | 'good' | 'wait' | 'bad' | 'accent';

export const Badge = ({ tone = 'neutral', children }: { readonly tone?: Tone; readonly children: ReactNode }) => (
  <span className={tone === 'neutral' ? 'badge' : `badge ${tone}`}>{children}</span>
);

const tones = { live: 'good', pending: 'wait', rejected: 'bad', deleted: 'neutral' } as const;

/** The status of a listing; a deleted one keeps its status, which means nothing any more. */
export const StatusBadge = ({
  listing: { status, deleted_at },
}: {
  readonly listing: { readonly status: 'live' | 'pending' | 'rejected'; readonly deleted_at?: string | null };
}) => {
  const shown = deleted_at ? 'deleted' : status;
  return <Badge tone={tones[shown]}>{strings.status[shown]}</Badge>;
};
