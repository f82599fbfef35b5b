import type { Batch } from '#contract/batches.ts';
import { client, dataOf } from '../api.ts';
import { notify } from '../app/notices.tsx';
import { refresh } from '../app/queries.ts';
import * as strings from '../strings.ts';
import { Confirm } from './confirm.tsx';

/** Asks before a batch is reverted. */
export const RevertConfirm = ({
  batch: { id, summary, counts },
  onClose,
}: {
  readonly batch: Batch;
  readonly onClose: () => void;
}) => (
  <Confirm
    title={strings.batches.revertTitle(counts.created + counts.updated)}
    action={strings.actions.revert}
    onConfirm={async () => {
      const { state, reverted, kept } = await dataOf(client.batches.revert({ params: { batch: id } }));
      notify(state === 'running' ? strings.batches.reverting : strings.batches.reverted(reverted, kept.length));
      await refresh('batches', 'imports', 'projects', 'categories');
    }}
    onClose={onClose}
  >
    <p dir="auto">
      <strong>{summary}</strong>
    </p>
    <p>{strings.batches.revertText}</p>
  </Confirm>
);
