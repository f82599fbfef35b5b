import { useState } from 'react';
import type { DryRun } from '#contract/batches.ts';
import type { BulkReport } from '#contract/project-batches.ts';
import { client, dataOf } from '../../api.ts';
import { undoDecision, useCategories } from '../../app/listings.ts';
import { notify, notifyError } from '../../app/notices.tsx';
import { refresh } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ListField, TextArea } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';

const actions = ['approve', 'reject', 'delete', 'restore', 'set_categories'] as const;
type Action = (typeof actions)[number];

/** Moderators decide; only administrators change the rest. */
const MODERATION: readonly Action[] = ['approve', 'reject'];

const text = strings.listings;

const labelOf = (action: Action): string =>
  action === 'set_categories' ? text.setCategories : strings.actions[action];

type Body = Parameters<typeof client.projects.bulk>[0]['body'];

const bodyOf = (action: Action, ids: readonly string[], reason: string, categories: readonly string[]): Body => {
  if (action === 'reject') return { ids: [...ids], action, reason };
  if (action === 'set_categories') return { ids: [...ids], action, categories: [...categories] };
  return { ids: [...ids], action };
};

const tones = { created: 'good', updated: 'good', skipped: 'wait', failed: 'bad' } as const;

const Preview = ({ dryRun: { counts, items } }: { readonly dryRun: DryRun }) => (
  <section className="stack tight">
    <p>{text.dryRunText}</p>
    <p className="row">
      {(['updated', 'skipped', 'failed'] as const).map((outcome) => (
        <Badge key={outcome} tone={tones[outcome]}>
          {words(outcome)} {counts[outcome]}
        </Badge>
      ))}
    </p>
    <ul className="preview-items">
      {items.map(({ row, outcome, project, message }) => (
        <li key={row} className="row">
          <Badge tone={tones[outcome]}>{words(outcome)}</Badge>
          <span dir="auto">{project?.name}</span>
          <span className="soft small">{message}</span>
        </li>
      ))}
    </ul>
  </section>
);

const BulkDialog = ({
  action,
  ids,
  isAdmin,
  onDone,
  onClose,
}: {
  readonly action: Action;
  readonly ids: readonly string[];
  /** Only administrators revert a batch; moderators take their own decisions back. */
  readonly isAdmin: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [reason, setReason] = useState('');
  const [categories, setCategories] = useState<readonly string[]>([]);
  const [dryRun, setDryRun] = useState<DryRun>();
  const { slugs, nameOf } = useCategories();

  const send = (query: { dry_run?: 'true' } = {}) =>
    dataOf(client.projects.bulk({ body: bodyOf(action, ids, reason, categories), query }));
  const tryOut = async () => {
    const result = await send({ dry_run: 'true' });
    if ('dry_run' in result) setDryRun(result);
  };
  const change = async () => {
    const result = await send();
    if (!('dry_run' in result)) finish(result);
  };
  const finish = ({ succeeded, failed, results, batch_id: batch }: BulkReport) => {
    onDone();
    void refresh('projects', 'revisions');
    notify(text.changed(succeeded), async () => {
      if (isAdmin) await dataOf(client.batches.revert({ params: { batch } }));
      else for (const { id } of results.filter(({ ok }) => ok)) await undoDecision(id);
      await refresh('projects', 'revisions');
    });
    const first = results.find(({ ok }) => !ok);
    if (first) notifyError(new Error(text.failed(failed, first.message ?? first.error ?? '')));
  };

  return (
    <FormDialog
      title={text.bulkConfirm(labelOf(action), ids.length)}
      action={strings.actions.counted(labelOf(action), ids.length)}
      kind={action === 'delete' || action === 'reject' ? 'danger primary' : 'primary'}
      isReady={action !== 'set_categories' || categories.length > 0}
      isWide={dryRun !== undefined}
      preview={{ action: strings.actions.dryRun, run: tryOut }}
      onSubmit={change}
      onClose={onClose}
    >
      {() => (
        <>
          {action === 'reject' && <TextArea name="reason" value={reason} onChange={setReason} />}
          {action === 'set_categories' && (
            <ListField
              name="categories"
              value={categories}
              suggestions={slugs}
              labelOf={nameOf}
              onChange={setCategories}
            />
          )}
          {dryRun && <Preview dryRun={dryRun} />}
        </>
      )}
    </FormDialog>
  );
};

/** The actions on all selected listings, also on those of other pages. */
export const BulkBar = ({
  ids,
  isAdmin,
  onDone,
  onClear,
}: {
  readonly ids: readonly string[];
  readonly isAdmin: boolean;
  readonly onDone: () => void;
  readonly onClear: () => void;
}) => {
  const [action, setAction] = useState<Action>();
  return (
    <div className="bulk-bar">
      <span>{strings.table.selected(ids.length)}</span>
      <span className="push row">
        {actions
          .filter((one) => isAdmin || MODERATION.includes(one))
          .map((one) => (
            <Button key={one} onClick={() => setAction(one)}>
              {strings.actions.counted(labelOf(one), ids.length)}
            </Button>
          ))}
        <Button kind="quiet" onClick={onClear}>
          {strings.actions.clear}
        </Button>
      </span>
      {action && (
        <BulkDialog action={action} ids={ids} isAdmin={isAdmin} onDone={onDone} onClose={() => setAction(undefined)} />
      )}
    </div>
  );
};
