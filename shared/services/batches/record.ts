import { type BatchKind, type DryRun, LISTED_MAX } from '#contract/batches.ts';
import { type BatchEntry, type BatchRecord, batchItemView, countOutcomes } from '#model/batch.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import type { AppError } from '#shared/errors.ts';

/** A batch that begins. */
export const newBatch = (
  actor: Pick<UserRecord, 'id'>,
  kind: BatchKind,
  summary: string,
  given: Partial<Pick<BatchRecord, 'running_until' | 'reverts' | 'category' | 'header' | 'import_id'>> = {},
): BatchRecord => ({
  id: newId('bat'),
  kind,
  actor_id: actor.id,
  at: now(),
  summary,
  state: 'running',
  counts: null,
  running_until: null,
  reverts: null,
  reverted_by: null,
  category: null,
  header: null,
  import_id: null,
  ...given,
});

/** The response for what an operation would do. @param entries all of them, or as many as are listed with all counts. */
export const dryRunOf = (entries: readonly BatchEntry[], counts = countOutcomes(entries)): DryRun => ({
  dry_run: true,
  batch_id: null,
  counts,
  items: entries.slice(0, LISTED_MAX).map(batchItemView),
});

const textsIn = (details: unknown): string[] => {
  if (Array.isArray(details)) return details.filter((text) => typeof text === 'string');
  return typeof details === 'object' && details !== null ? Object.values(details).flatMap(textsIn) : [];
};

/** Why a change failed, as one text. */
export const reasonOf = (error: AppError): string => {
  const { message, details } = error.extra;
  return typeof message === 'string' ? message : textsIn(details).join('; ') || error.body.error;
};
