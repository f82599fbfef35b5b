import { memo, useCallback, useEffect, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useKeys } from '../../app/keys.tsx';
import { prefetchListing, undoDecision } from '../../app/listings.ts';
import { notify, notifyError } from '../../app/notices.tsx';
import { refresh, refreshSoon, retryFailed } from '../../app/queries.ts';
import { session } from '../../app/session.ts';
import { useStore } from '../../app/store.ts';
import { useUrl } from '../../app/url.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Logo } from '../../components/logo.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState, Failure, Loading } from '../../components/states.tsx';
import { toggled } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { ReasonField } from './decision-bar.tsx';
import { approve, decideAll, isOutdated, reject } from './decisions.ts';
import { Detail } from './detail.tsx';
import { type Item, type Kind, kinds, nameOf, projectOf, useItems } from './items.ts';

/** Only rows that change are rendered again: a key press moves through a list of a hundred. */
const Row = memo(
  ({
    item,
    isOpen,
    isSelected,
    href,
    onSelect,
  }: {
    readonly item: Item;
    readonly isOpen: boolean;
    readonly isSelected: boolean;
    readonly href: string;
    readonly onSelect: (id: string) => void;
  }) => {
    const row = useRef<HTMLLIElement>(null);
    useEffect(() => {
      if (isOpen) row.current?.scrollIntoView({ block: 'nearest' });
    }, [isOpen]);
    const name = nameOf(item);
    const extra =
      item.kind === 'edit'
        ? item.revision.changes.map(({ field }) => field.replaceAll('_', ' ')).join(', ')
        : hostOf(item.project.url);
    return (
      <li ref={row} className="queue-row" data-open={isOpen}>
        <input
          type="checkbox"
          aria-label={strings.table.select(name)}
          checked={isSelected}
          onChange={() => onSelect(item.id)}
        />
        <Link href={href} replace aria-current={isOpen}>
          <Logo url={item.kind === 'submission' ? item.project.logo_url : null} name={name} />
          <span className="queue-row-text">
            <span className="truncate" dir="auto">
              {name}
            </span>
            <span className="soft small truncate">{extra}</span>
          </span>
          <span className="queue-row-end small">
            <Time at={item.at} isAge />
            {item.kind === 'edit' && <Badge tone="accent">{strings.queue.edit}</Badge>}
            {item.kind === 'submission' && item.project.rule && <Badge tone="wait">{strings.queue.rule}</Badge>}
            {item.kind === 'submission' && (item.project.possible_duplicates?.length ?? 0) > 0 && (
              <Badge tone="wait">{strings.queue.duplicate}</Badge>
            )}
          </span>
        </Link>
      </li>
    );
  },
);

const BulkReject = ({
  count,
  onReject,
  onClose,
}: {
  readonly count: number;
  readonly onReject: (reason: string) => void;
  readonly onClose: () => void;
}) => {
  const [reason, setReason] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const action = strings.actions.counted(strings.actions.reject, count);
  return (
    <Dialog title={action} onClose={onClose}>
      <ReasonField
        value={reason}
        onChange={setReason}
        values={{}}
        errors={[]}
        inputRef={field}
        onConfirm={() => onReject(reason)}
      />
      <DialogActions>
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button kind="danger primary" isDisabled={reason.trim() === ''} onClick={() => onReject(reason)}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

export const Page = () => {
  const [url, setUrl] = useUrl();
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const kind: Kind = kinds.find((one) => one === url.get('kind')) ?? 'all';
  const { items: known, total, state, error } = useItems(kind);
  // Decided items disappear at once; the lists follow with their next refresh.
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const items = known.filter(({ id }) => !decided.has(id));
  const wanted = url.get('open');
  const found = items.findIndex(({ id }) => id === wanted);
  const at = found >= 0 ? found : 0;
  const item = items[at];
  const next = items[at + 1] ?? items[at - 1];
  const nextProject = next && projectOf(next);
  const waiting = Math.max(items.length, total - known.length + items.length);

  useEffect(() => {
    if (nextProject !== undefined) prefetchListing(nextProject);
  }, [nextProject]);

  const select = useCallback((id: string) => setSelected((before) => toggled(before, id)), []);
  const open = (target: Item | undefined) => setUrl({ open: target?.id }, { replace: true });
  const hrefOf = ({ id }: Item) => {
    const parameters = new URLSearchParams(url);
    parameters.set('open', id);
    return `/queue?${parameters.toString()}`;
  };
  const hide = (ids: readonly string[]) => {
    setDecided((before) => new Set([...before, ...ids]));
    setSelected((before) => new Set([...before].filter((id) => !ids.includes(id))));
  };
  const show = (ids: readonly string[]) =>
    setDecided((before) => new Set([...before].filter((id) => !ids.includes(id))));
  const refreshAll = () => refresh('projects', 'revisions');

  /** The next item opens before the service has answered; a failure brings the item back. */
  const decide = async (
    one: Item,
    run: () => Promise<(() => Promise<unknown>) | undefined>,
    done: (name: string) => string,
  ) => {
    hide([one.id]);
    open(next);
    try {
      const undo = await run();
      notify(
        done(nameOf(one)),
        undo &&
          (async () => {
            await undo();
            await refreshAll();
            show([one.id]);
            open(one);
          }),
      );
    } catch (failure) {
      if (isOutdated(failure)) notify(strings.queue.decided(nameOf(one)));
      else notifyError(failure, () => void decide(one, run, done));
      show([one.id]);
    }
    refreshSoon(['projects', 'queue'], ['projects', 'waiting'], ['revisions', 'queue']);
  };

  const decideSelected = async (action: 'approve' | 'reject', reason = '') => {
    const chosen = items.filter(({ id }) => selected.has(id));
    const ids = chosen.map(({ id }) => id);
    setRejecting(false);
    hide(ids);
    try {
      const { done, failures } = await decideAll(chosen, action, reason);
      show(failures.map(({ item: failed }) => failed.id));
      const submissions = done.filter((one) => one.kind === 'submission');
      notify(
        strings.queue.bulkDone(strings.actions[action], done.length),
        submissions.length === 0
          ? undefined
          : async () => {
              for (const { id } of submissions) await undoDecision(id);
              await refreshAll();
              show(submissions.map(({ id }) => id));
            },
      );
      const [first] = failures;
      if (first) notifyError(new Error(strings.listings.failed(failures.length, first.message)));
    } catch (failure) {
      show(ids);
      notifyError(failure, () => void decideSelected(action, reason));
    }
    void refreshAll();
  };

  const move = (step: number) => open(items[Math.max(0, Math.min(items.length - 1, at + step))]);
  useKeys({
    j: { label: strings.queue.next, run: () => move(1) },
    k: { label: strings.queue.previous, run: () => move(-1) },
    Enter: {
      label: strings.table.openRow,
      run: () => document.querySelector('.queue-detail')?.scrollIntoView({ block: 'start' }),
    },
    x: { label: strings.table.selectRow, run: () => item && setSelected(toggled(selected, item.id)) },
  });

  return (
    <>
      <PageHeader title="Queue">
        <span className="soft number">{state === 'ready' && formatNumber(waiting)}</span>
        <span className="push">
          <SelectField
            name="kind"
            value={kind}
            options={kinds.map((one) => [one, strings.queue.kinds[one]])}
            onChange={(value) => setUrl({ kind: value === 'all' ? undefined : value, open: undefined })}
          />
        </span>
      </PageHeader>
      {state === 'loading' && <Loading />}
      {state === 'failed' && <Failure error={error} onRetry={() => void retryFailed()} />}
      {state === 'ready' && !item && (
        <EmptyState title={strings.queue.empty}>
          <p>{strings.queue.emptyText}</p>
        </EmptyState>
      )}
      {state === 'ready' && item && (
        <div className="queue">
          <section className="queue-list" aria-label={strings.queue.list}>
            <ul>
              {items.map((one) => (
                <Row
                  key={one.id}
                  item={one}
                  isOpen={one === item}
                  isSelected={selected.has(one.id)}
                  href={hrefOf(one)}
                  onSelect={select}
                />
              ))}
            </ul>
          </section>
          <Detail
            key={item.id}
            item={item}
            isAdmin={isAdmin}
            onApprove={(approval) => void decide(item, () => approve(item, approval), strings.queue.approved)}
            onReject={(reason) => void decide(item, () => reject(item, reason), strings.queue.rejected)}
            onSkip={() => open(next)}
          />
        </div>
      )}
      {selected.size > 0 && (
        <div className="bulk-bar">
          <span>{strings.table.selected(selected.size)}</span>
          <span className="push row">
            <Button kind="primary" onClick={() => void decideSelected('approve')}>
              {strings.actions.counted(strings.actions.approve, selected.size)}
            </Button>
            <Button kind="danger" onClick={() => setRejecting(true)}>
              {strings.actions.counted(strings.actions.reject, selected.size)}
            </Button>
            <Button kind="quiet" onClick={() => setSelected(new Set())}>
              {strings.actions.clear}
            </Button>
          </span>
        </div>
      )}
      {isRejecting && (
        <BulkReject
          count={selected.size}
          onReject={(reason) => void decideSelected('reject', reason)}
          onClose={() => setRejecting(false)}
        />
      )}
    </>
  );
};
