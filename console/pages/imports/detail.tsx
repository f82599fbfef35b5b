import { useState } from 'react';
import { Link } from 'wouter';
import type { Import } from '#contract/imports.ts';
import { client, dataOf, responseOf } from '../../api.ts';
import { refresh, useResource } from '../../app/queries.ts';
import { useStore } from '../../app/store.ts';
import { perform } from '../../app/toasts.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { BatchStateBadge, isRevertible } from '../../components/batch.tsx';
import { Button } from '../../components/button.tsx';
import { download } from '../../components/download.ts';
import { RevertConfirm } from '../../components/revert-confirm.tsx';
import { RevertProgress, useBatch } from '../../components/revert-progress.tsx';
import { Loaded } from '../../components/states.tsx';

import { formatNumber, formatPercent } from '../../format.ts';
import * as strings from '../../strings.ts';
import { Counts, Ignored } from './dry-run.tsx';
import { MappingEditor } from './mapping.tsx';
import { text } from './strings.ts';
import { uploads } from './uploads.ts';

const tones: Readonly<Record<Import['state'], Tone>> = {
  waiting: 'wait',
  uploaded: 'wait',
  checking: 'accent',
  running: 'accent',
  done: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

export const StateBadge = ({ state }: { readonly state: Import['state'] }) => (
  <Badge tone={tones[state]}>{text.states[state]}</Badge>
);

export const Progress = ({ label, share }: { readonly label: string; readonly share: number }) => (
  <p className="row">
    <progress aria-label={label} max={1} value={share} />
    <span className="number">{formatPercent(share)}</span>
  </p>
);

const BatchActions = ({
  filename,
  batch: batchId,
  failed,
}: {
  /** The name of the imported file. */
  readonly filename: string;
  readonly batch: string;
  readonly failed: number;
}) => {
  const [isReverting, setReverting] = useState(false);
  const batch = useBatch(batchId);
  const errors = async () => {
    const { body } = await responseOf(client.batches.exportErrors({ params: { batch: batchId } }));
    await download(body, text.failedFile(filename));
  };
  return (
    <div className="row">
      {failed > 0 && <Button onClick={() => void perform(errors)}>{text.failedRows(failed)}</Button>}
      {batch.data && batch.data.reverted_by !== null && (
        <BatchStateBadge state={batch.data.state} revertedBy={batch.data.reverted_by} />
      )}
      {batch.data && <RevertProgress batch={batch.data} />}
      {batch.data && isRevertible(batch.data) && (
        <Button kind="danger" onClick={() => setReverting(true)}>
          {strings.actions.revert}
        </Button>
      )}
      <Link href={`/batches?open=${batchId}`}>{text.batch}</Link>
      {isReverting && batch.data && <RevertConfirm batch={batch.data} onClose={() => setReverting(false)} />}
    </div>
  );
};

const Result = ({
  filename,
  counts,
  batch_id,
  error,
  ignored,
}: Pick<Import, 'filename' | 'counts' | 'batch_id' | 'error' | 'ignored'>) => (
  <section className="card stack tight">
    <h2>{text.result}</h2>
    {error !== null && <p className="message bad">{error}</p>}
    <Counts counts={counts} />
    <Ignored columns={ignored} />
    {batch_id !== null && <BatchActions filename={filename} batch={batch_id} failed={counts.failed} />}
  </section>
);

const Running = ({ id, rows_done, rows_total }: Import) => (
  <section className="card stack tight">
    <h2>{text.progress}</h2>
    <Progress label={text.progress} share={rows_total === null ? 0 : rows_done / Math.max(1, rows_total)} />
    <p className="soft">{rows_total !== null && text.rows(formatNumber(rows_done), formatNumber(rows_total))}</p>
    <div className="row">
      <Button
        kind="danger"
        onClick={() =>
          void perform(async () => {
            await dataOf(client.imports.cancel({ params: { import: id } }));
            await refresh('imports');
          })
        }
      >
        {text.stop}
      </Button>
    </div>
  </section>
);

const UNFINISHED: ReadonlySet<Import['state']> = new Set(['waiting', 'uploaded', 'checking', 'running']);

/** An import from the upload to its result. */
export const Detail = ({ id }: { readonly id: string }) => {
  const shares = useStore(uploads);
  const share = shares.get(id);
  const one = useResource(
    ['imports', id],
    (signal) => dataOf(client.imports.read({ params: { import: id }, signal })),
    { poll: true, isRunning: ({ state }) => UNFINISHED.has(state) },
  );
  return (
    <div className="stack">
      <Link href="/imports">{text.back}</Link>
      <Loaded query={one}>
        {(loaded) => (
          <>
            <p className="row">
              <strong dir="auto">{loaded.filename}</strong>
              <StateBadge state={loaded.state} />
            </p>
            {share !== undefined && <Progress label={text.uploading} share={share} />}
            {loaded.state === 'waiting' && share === undefined && <p className="soft">{text.waitingText}</p>}
            {(loaded.state === 'checking' || loaded.state === 'running') && <Running {...loaded} />}
            {loaded.state === 'uploaded' && <MappingEditor {...loaded} />}
            {(loaded.state === 'done' || loaded.state === 'failed' || loaded.state === 'cancelled') && (
              <Result {...loaded} />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
};
