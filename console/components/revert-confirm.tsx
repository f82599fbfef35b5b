import { useState } from 'react';
import type { Batch } from '#contract/batches.ts';
import { client, dataOf } from '../api.ts';
import { refresh } from '../app/queries.ts';
import { notify } from '../app/toasts.tsx';
import { followWork } from '../app/work.ts';
import { text as workText } from '../app/work-strings.ts';
import * as strings from '../strings.ts';
import { Confirm } from './confirm.tsx';
import { RevertProgress } from './revert-progress.tsx';

/** Asks before a batch is reverted. */
export const RevertConfirm = ({ batch, onClose }: { readonly batch: Batch; readonly onClose: () => void }) => {
  const { id, summary, counts } = batch;
  const [isStarting, setStarting] = useState(false);
  return (
    <Confirm
      title={strings.batch.revertTitle(counts.created + counts.updated)}
      action={strings.actions.revert}
      onConfirm={async () => {
        setStarting(true);
        const revert = await dataOf(client.batches.revert({ params: { batch: id } })).finally(() => setStarting(false));
        if (revert.state === 'running') {
          notify(strings.batch.reverting);
          followWork({ id: revert.batch_id, title: workText.revertOf(summary) });
        } else notify(strings.batch.reverted(revert.reverted, revert.kept.length));
        await refresh('batches', 'imports', 'projects', 'categories');
      }}
      onClose={onClose}
    >
      <p dir="auto">
        <strong>{summary}</strong>
      </p>
      <p>{strings.batch.revertText}</p>
      {isStarting && <RevertProgress batch={batch} isStarting />}
    </Confirm>
  );
};
