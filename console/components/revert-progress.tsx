import type { Batch } from '#contract/batches.ts';
import { client, dataOf } from '../api.ts';
import { useResource } from '../app/queries.ts';
import { formatNumber } from '../format.ts';
import * as strings from '../strings.ts';

/** A batch with its state. @param isChanging whether it is asked for often. */
export const useBatch = (id: string, { isChanging = false } = {}) =>
  useResource(['batches', 'one', id], (signal) => dataOf(client.batches.read({ params: { batch: id }, signal })), {
    poll: true,
    isRunning: (batch) => isChanging || batch.state === 'running' || isBeingReverted(batch),
  });

/** Whether a revert of the batch runs. */
export const isBeingReverted = ({ state, reverted_by }: Batch): boolean => reverted_by !== null && state !== 'reverted';

export const changedBy = ({ counts }: Batch): number => counts.created + counts.updated;

const Share = ({ id, total }: { readonly id: string; readonly total: number }) => {
  const { data } = useBatch(id, { isChanging: true });
  const { created = 0, updated = 0, skipped = 0, failed = 0 } = data?.counts ?? {};
  const done = Math.min(total, created + updated + skipped + failed);
  return (
    <p className="row" role="status">
      <progress aria-label={strings.batch.progress} max={Math.max(1, total)} value={done} />
      <span className="number">{strings.batch.revertedSoFar(formatNumber(done), formatNumber(total))}</span>
    </p>
  );
};

/** How far the revert of a batch is, while it runs. @param isStarting shows the batch's own state as soon as it changes. */
export const RevertProgress = ({
  batch,
  isStarting = false,
}: {
  readonly batch: Batch;
  readonly isStarting?: boolean;
}) => {
  const { data = batch } = useBatch(batch.id, { isChanging: isStarting });
  return isBeingReverted(data) && data.reverted_by !== null ? (
    <Share id={data.reverted_by} total={changedBy(data)} />
  ) : null;
};
