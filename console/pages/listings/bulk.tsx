import { useEffect, useRef, useState } from 'react';
import type { BulkReport, DryRun } from '#contract/batches.ts';
import { bodyOf, client, dataOf, fieldErrors } from '../../api.ts';
import { undoDecision, useCategories } from '../../app/listings.ts';
import { refresh } from '../../app/queries.ts';
import { notify, notifyError } from '../../app/toasts.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { ListField, TextArea } from '../../components/fields.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import type { Filters } from './query.ts';
import { queryOf } from './query.ts';
import { ALL, type Selected, type Status, seenStatus, statusOf } from './selection.ts';
import { text } from './strings.ts';

const actions = ['approve', 'reject', 'delete', 'restore', 'set_categories'] as const;
type Action = (typeof actions)[number];

/** Moderators decide; only administrators change the rest. */
const MODERATION: readonly Action[] = ['approve', 'reject'];

const labelOf = (action: Action): string =>
  action === 'set_categories' ? text.setCategories : strings.actions[action];

/** The statuses in which an action changes something. */
const statusesOf: Readonly<Record<Action, readonly Status[]>> = {
  approve: ['pending'],
  reject: ['pending'],
  delete: ['live', 'pending', 'rejected'],
  restore: ['deleted'],
  set_categories: ['live', 'pending', 'rejected'],
};

const canChange = (action: Action, status: Status | undefined): boolean =>
  status === undefined || statusesOf[action].includes(status);

type Body = Parameters<typeof client.projects.bulk>[0]['body'];

const requestOf = (action: Action, ids: readonly string[], reason: string, categories: readonly string[]): Body => {
  if (action === 'reject') return { ids: [...ids], action, reason };
  if (action === 'set_categories') return { ids: [...ids], action, categories: [...categories] };
  return { ids: [...ids], action };
};

/** The listings of one request, which the service limits, and of one page of a list. */
const REQUEST_MAX = 100;

/** What is selected: single listings, or all that match the filters. */
export interface Target {
  readonly selected: Selected;
  readonly filters: Filters;
  /** The number of listings that match the filters. */
  readonly total: number;
  /** The ids on this page. */
  readonly shown: readonly string[];
  /** The number of matching listings that wait for a decision. */
  readonly pending: number;
}

/** How many listings an action changes, as far as their statuses are known. */
const countOf = (action: Action, { selected, filters, total, shown, pending }: Target): number => {
  const ids = selected === ALL && shown.length === total ? shown : selected;
  if (ids !== ALL) return [...ids].filter((id) => canChange(action, seenStatus.get(id))).length;
  if (filters.status === 'all' && MODERATION.includes(action)) return pending;
  return filters.status === 'all' || canChange(action, filters.status) ? total : 0;
};

/** The ids of the listings that an action changes. All are read before the first is changed, which moves the pages. */
const idsOf = async (
  action: Action,
  { selected, filters }: Target,
  onProgress: (done: number, total: number) => void,
): Promise<readonly string[]> => {
  if (selected !== ALL) return [...selected].filter((id) => canChange(action, seenStatus.get(id)));
  const ids: string[] = [];
  for (let page = 1, read = 0; ; page += 1) {
    const query = { ...queryOf(filters), facets: [], page, limit: REQUEST_MAX };
    const { data, meta } = await bodyOf(client.projects.browse({ query }));
    ids.push(...data.filter((project) => canChange(action, statusOf(project))).map(({ id }) => id));
    read += data.length;
    onProgress(read, meta.total);
    if (!meta.hasMore) return ids;
  }
};

const tones = { created: 'good', updated: 'good', skipped: 'wait', failed: 'bad' } as const;

const Preview = ({ dryRun: { counts, items } }: { readonly dryRun: Pick<DryRun, 'counts' | 'items'> }) => (
  <section className="stack tight">
    <p>{text.dryRunText}</p>
    <p className="row">
      {(['updated', 'skipped', 'failed'] as const).map((outcome) => (
        <Badge key={outcome} tone={tones[outcome]}>
          {words(outcome)} {formatNumber(counts[outcome])}
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

interface Progress {
  readonly label: string;
  readonly done: number;
  readonly total: number;
}

const BulkDialog = ({
  action,
  target,
  isAdmin,
  onDone,
  onClose,
}: {
  readonly action: Action;
  readonly target: Target;
  /** Only administrators revert a batch; moderators take their own decisions back. */
  readonly isAdmin: boolean;
  readonly onDone: () => void;
  readonly onClose: () => void;
}) => {
  const [reason, setReason] = useState('');
  const [categories, setCategories] = useState<readonly string[]>([]);
  const [dryRun, setDryRun] = useState<Pick<DryRun, 'counts' | 'items'>>();
  const [progress, setProgress] = useState<Progress>();
  const { slugs, nameOf } = useCategories();
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const count = countOf(action, target);

  /** Sends request after request; closing the dialog ends it after the current one. @returns the number that was sent. */
  const inRequests = async <Result,>(
    label: string,
    send: (ids: readonly string[]) => Promise<Result>,
    take: (result: Result) => void,
  ): Promise<void> => {
    try {
      const ids = await idsOf(action, target, (done, total) => setProgress({ label: text.reading, done, total }));
      for (let at = 0; at < ids.length && !isClosed.current; at += REQUEST_MAX) {
        setProgress({ label, done: at, total: ids.length });
        take(await send(ids.slice(at, at + REQUEST_MAX)));
      }
    } finally {
      setProgress(undefined);
    }
  };
  const body = (ids: readonly string[]) => requestOf(action, ids, reason, categories);
  const tryOut = async () => {
    const sum = { created: 0, updated: 0, skipped: 0, failed: 0 };
    const items: DryRun['items'] = [];
    await inRequests(
      text.checking,
      (ids) => dataOf(client.projects.bulk({ body: body(ids), query: { dry_run: 'true' } })),
      (result) => {
        if (!('dry_run' in result)) return;
        for (const outcome of ['created', 'updated', 'skipped', 'failed'] as const)
          sum[outcome] += result.counts[outcome];
        for (const item of result.items) if (items.length < REQUEST_MAX) items.push({ ...item, row: items.length + 1 });
      },
    );
    setDryRun({ counts: sum, items });
  };
  const change = async () => {
    const reports: BulkReport[] = [];
    try {
      await inRequests(
        text.changing,
        (ids) => dataOf(client.projects.bulk({ body: body(ids) })),
        (result) => {
          if (!('dry_run' in result)) reports.push(result);
        },
      );
    } finally {
      // What was changed before a failure can be undone.
      finish(reports);
    }
  };
  const finish = (reports: readonly BulkReport[]) => {
    const results = reports.flatMap((report) => report.results);
    const failed = results.filter(({ ok }) => !ok);
    const changed = results.length - failed.length;
    void refresh('projects', 'revisions', 'batches');
    if (changed > 0) {
      onDone();
      notify(text.changed(changed), async () => {
        if (isAdmin)
          for (const { batch_id: batch } of reports) await dataOf(client.batches.revert({ params: { batch } }));
        else for (const { id } of results.filter(({ ok }) => ok)) await undoDecision(id);
        await refresh('projects', 'revisions', 'batches');
      });
    }
    const [first] = failed;
    if (first) notifyError(new Error(strings.listing.failed(failed.length, first.message ?? first.error ?? '')));
  };

  return (
    <FormDialog
      title={text.bulkConfirm(labelOf(action), count)}
      action={strings.actions.counted(labelOf(action), count)}
      kind={action === 'delete' || action === 'reject' ? 'danger primary' : 'primary'}
      isReady={count > 0 && (action !== 'set_categories' || categories.length > 0)}
      isWide={dryRun !== undefined}
      preview={{ action: strings.actions.dryRun, run: tryOut }}
      onSubmit={change}
      onClose={onClose}
    >
      {(error) => (
        <>
          {action === 'reject' && (
            <TextArea name="reason" value={reason} errors={fieldErrors(error, 'reason')} onChange={setReason} />
          )}
          {action === 'set_categories' && (
            <ListField
              name="categories"
              value={categories}
              suggestions={slugs}
              labelOf={nameOf}
              errors={fieldErrors(error, 'categories')}
              onChange={setCategories}
            />
          )}
          {progress && (
            <p className="row" role="status">
              <progress aria-label={progress.label} max={progress.total} value={progress.done} />
              {text.progress(progress.label, formatNumber(progress.done), formatNumber(progress.total))}
            </p>
          )}
          {dryRun && <Preview dryRun={dryRun} />}
        </>
      )}
    </FormDialog>
  );
};

/** The actions on all selected listings, also on those of other pages. */
export const BulkBar = ({
  target,
  isAdmin,
  onSelectAll,
  onClear,
}: {
  readonly target: Target;
  readonly isAdmin: boolean;
  /** Undefined where not all listings can be selected. */
  readonly onSelectAll: (() => void) | undefined;
  readonly onClear: () => void;
}) => {
  const [action, setAction] = useState<Action>();
  const { selected, total, shown } = target;
  const count = selected === ALL ? total : selected.size;
  const elsewhere = selected === ALL ? 0 : [...selected].filter((id) => !shown.includes(id)).length;
  return (
    <div className="bulk-bar">
      <span>
        {selected === ALL ? text.allSelected(count) : strings.table.selected(count)}
        {elsewhere > 0 && <span className="soft"> · {text.elsewhere(elsewhere)}</span>}
      </span>
      {selected !== ALL && total > count && onSelectAll && (
        <Button kind="link" onClick={onSelectAll}>
          {text.selectAll(total)}
        </Button>
      )}
      <span className="push row">
        {actions
          .filter((one) => (isAdmin || MODERATION.includes(one)) && countOf(one, target) > 0)
          .map((one) => (
            <Button key={one} onClick={() => setAction(one)}>
              {strings.actions.counted(labelOf(one), countOf(one, target))}
            </Button>
          ))}
        <Button kind="quiet" onClick={onClear}>
          {strings.actions.clear}
        </Button>
      </span>
      {action && (
        <BulkDialog
          action={action}
          target={target}
          isAdmin={isAdmin}
          onDone={onClear}
          onClose={() => setAction(undefined)}
        />
      )}
    </div>
  );
};
