import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { Link } from 'wouter';
import { useKeys } from '../../app/keys.tsx';
import { prefetchDossiers, prefetchListing, undoDecision, useDossier } from '../../app/listings.ts';
import { refresh, refreshSoon, retryFailed } from '../../app/queries.ts';
import { session } from '../../app/session.ts';
import { useStore } from '../../app/store.ts';
import { notify, notifyError } from '../../app/toasts.tsx';
import { leave } from '../../app/unsaved.tsx';
import { useUrl } from '../../app/url.ts';
import { countDecided } from '../../app/waiting.ts';
import { Button } from '../../components/button.tsx';
import { Dialog, DialogActions } from '../../components/dialog.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { EmptyState, Failure, Loading } from '../../components/states.tsx';
import { toggled } from '../../components/table.tsx';
import * as strings from '../../strings.ts';
import { ReasonField } from './decision-bar.tsx';
import { approve, decideAll, isOutdated, reject } from './decisions.ts';
import { Detail } from './detail.tsx';
import { filtersOf, type Item, type Kind, matches, nameOf, projectOf, scheduledFor, useItems } from './items.ts';
import { KindTabs, ListTools, Row } from './list.tsx';
import { unknownPlaceholders } from './placeholders.ts';
import { useRiskOrder } from './risks.tsx';
import { text } from './strings.ts';

/** How many dossiers are read in advance for the badges of the list. */
const RISKS_AHEAD = 15;

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
  const isReady = reason.trim() !== '' && unknownPlaceholders(reason).length === 0;
  return (
    <Dialog title={action} onClose={onClose}>
      <ReasonField
        value={reason}
        onChange={setReason}
        values={undefined}
        errors={[]}
        inputRef={field}
        onConfirm={() => isReady && onReject(reason)}
      />
      <DialogActions>
        <Button onClick={onClose}>{strings.actions.cancel}</Button>
        <Button kind="danger primary" isDisabled={!isReady} onClick={() => onReject(reason)}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
};

const Empty = ({ isFiltered, isScheduled }: { readonly isFiltered: boolean; readonly isScheduled: boolean }) => {
  if (isFiltered) {
    return (
      <EmptyState title={text.noMatch}>
        <Link href="/queue">{text.showAll}</Link>
      </EmptyState>
    );
  }
  return (
    <EmptyState title={isScheduled ? text.emptyScheduled : text.empty}>
      <p>{isScheduled ? text.emptyScheduledText : text.emptyText}</p>
    </EmptyState>
  );
};

export const Page = () => {
  const [url, setUrl] = useUrl();
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const filters = useMemo(() => filtersOf(url), [url]);
  const { kind } = filters;
  const isScheduled = kind === 'scheduled';
  const { items: all, counts, total, state, error } = useItems(kind);
  const found = useMemo(() => all.filter((one) => matches(one, filters)), [all, filters]);
  const known = useRiskOrder(found, filters.order === 'risk');
  // Decided items disappear at once; the lists follow with their next refresh.
  const [decided, setDecided] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [isRejecting, setRejecting] = useState(false);
  const items = known.filter(({ id }) => !decided.has(id));
  // The open item stays until the moderator leaves it or goes to another kind, also when the list changes beneath it.
  const shown = useRef<{ readonly item: Item; readonly at: number; readonly kind: Kind }>(undefined);
  const isListed = (id: string | null | undefined) => items.some((one) => one.id === id);
  const isHeld = (id: string | null | undefined) =>
    id === shown.current?.item.id && kind === shown.current?.kind && !decided.has(id ?? '');
  const wanted = [url.get('open'), shown.current?.item.id].find((id) => isListed(id) || isHeld(id));
  const place = items.findIndex(({ id }) => id === wanted);
  const isMissing = place < 0 && wanted !== undefined;
  const at = isMissing ? Math.min(shown.current?.at ?? 0, items.length) : Math.max(place, 0);
  const item = isMissing ? shown.current?.item : items[at];
  useEffect(() => {
    shown.current = item && { item, at, kind };
  });
  const takesFocus = useRef(false);
  const [skipped, setSkipped] = useState<ReadonlySet<string>>(new Set());
  /** The item after the open one that was not skipped, from the beginning after the end. */
  const others = [...items.slice(isMissing ? at : at + 1), ...items.slice(0, at)];
  const next = others.find(({ id }) => !skipped.has(id)) ?? others[0];
  const nextProject = next && projectOf(next);
  const isNarrowed = found.length < all.length;
  const waiting = isNarrowed ? items.length : Math.max(items.length, total - known.length + items.length);
  const skippedCount = items.filter(({ id }) => skipped.has(id)).length;

  useEffect(() => {
    if (nextProject !== undefined) prefetchListing(nextProject);
  }, [nextProject]);

  // The badges of the items that come next.
  const coming = items
    .slice(at, at + RISKS_AHEAD)
    .map(projectOf)
    .join(' ');
  useEffect(() => {
    const controller = new AbortController();
    if (coming !== '') void prefetchDossiers(coming.split(' '), controller);
    return () => controller.abort();
  }, [coming]);

  const select = useCallback((id: string) => setSelected((before) => toggled(before, id)), []);
  const open = (target: Item | undefined) => setUrl({ open: target?.id }, { replace: true });
  const hrefOf = ({ id }: Item) => {
    const parameters = new URLSearchParams(url);
    parameters.set('open', id);
    return `/queue?${parameters.toString()}`;
  };
  const hide = (ids: readonly string[]) => {
    // The count in the navigation follows at once, like the list.
    const hidden = known.filter(({ id }) => ids.includes(id));
    const edits = hidden.filter((one) => one.kind === 'edit').length;
    const scheduled = hidden.filter((one) => scheduledFor(one) !== null).length;
    countDecided(hidden.length - edits - scheduled, edits);
    setDecided((before) => new Set([...before, ...ids]));
    setSelected((before) => new Set([...before].filter((id) => !ids.includes(id))));
  };
  const show = (ids: readonly string[]) =>
    setDecided((before) => new Set([...before].filter((id) => !ids.includes(id))));
  const skip = () => {
    if (!item) return;
    if (isMissing) hide([item.id]);
    const isLast = others.length > 0 && others.every(({ id }) => skipped.has(id));
    if (isLast) notify(text.skippedAll);
    setSkipped(isLast ? new Set() : new Set([...skipped, item.id]));
    goOn(next);
  };
  /** The item that follows takes the focus. */
  const goOn = (target: Item | undefined) => {
    takesFocus.current = true;
    shown.current = undefined;
    open(target);
  };
  const refreshAll = () => refresh('projects', 'revisions');

  /** The next item opens before the service has answered; a failure brings the item back. */
  const decide = async (
    one: Item,
    run: () => Promise<(() => Promise<unknown>) | undefined>,
    done: (name: string) => string,
  ) => {
    hide([one.id]);
    goOn(next);
    try {
      const undo = await run();
      notify(
        done(nameOf(one)),
        undo &&
          (async () => {
            await undo();
            await refreshAll();
            show([one.id]);
            goOn(one);
          }),
      );
    } catch (failure) {
      if (isOutdated(failure)) notify(text.decided(nameOf(one)));
      else notifyError(failure, () => void decide(one, run, done));
      show([one.id]);
    }
    refreshSoon(['projects', 'queue'], ['projects', 'waiting'], ['revisions', 'queue']);
  };

  const submitter = items.find((one) => one.kind === 'submission' && one.project.owner_id === filters.submitter);
  const { data: ofSubmitter } = useDossier(submitter ? projectOf(submitter) : '', {
    isEnabled: submitter !== undefined,
  });
  /** The submissions of a user that wait. */
  const idsOf = (owner: string) =>
    all.flatMap((one) =>
      one.kind === 'submission' && one.project.owner_id === owner && !decided.has(one.id) ? [one.id] : [],
    );

  const decideSelected = async (action: 'approve' | 'reject', reason = '') => {
    const chosen = all.filter(({ id }) => selected.has(id) && !decided.has(id));
    const ids = chosen.map(({ id }) => id);
    setRejecting(false);
    hide(ids);
    try {
      const { done, failures } = await decideAll(chosen, action, reason);
      show(failures.map(({ item: failed }) => failed.id));
      const submissions = done.filter((one) => one.kind === 'submission');
      notify(
        text.bulkDone(strings.actions[action], done.length),
        submissions.length === 0
          ? undefined
          : async () => {
              for (const { id } of submissions) await undoDecision(id);
              await refreshAll();
              show(submissions.map(({ id }) => id));
            },
      );
      const [first] = failures;
      if (first) notifyError(new Error(strings.listing.failed(failures.length, first.message)));
    } catch (failure) {
      show(ids);
      notifyError(failure, () => void decideSelected(action, reason));
    }
    void refreshAll();
  };

  const move = (step: number) => {
    const target = isMissing && step > 0 ? at : at + step;
    open(items[Math.max(0, Math.min(items.length - 1, target))] ?? item);
  };
  useKeys({
    j: { label: text.next, run: () => move(1) },
    k: { label: text.previous, run: () => move(-1) },
    Enter: {
      label: strings.table.openRow,
      run: () => document.querySelector('.queue-detail')?.scrollIntoView({ block: 'start' }),
    },
    x: { label: strings.table.selectRow, run: () => item && setSelected(toggled(selected, item.id)) },
  });

  return (
    <>
      <PageHeader title="Queue">{state === 'ready' && <KindTabs kind={kind} counts={counts} />}</PageHeader>
      {state === 'loading' && <Loading />}
      {state === 'failed' && <Failure error={error} onRetry={() => void retryFailed()} />}
      {state === 'ready' && !item && <Empty isFiltered={all.length > 0} isScheduled={isScheduled} />}
      {state === 'ready' && item && (
        <div className="queue">
          <div className="queue-side">
            <ListTools
              items={all}
              filters={filters}
              shown={items.length}
              submitterName={ofSubmitter?.submitter.name ?? filters.submitter}
              onSelectAll={() => setSelected(new Set(items.map(({ id }) => id)))}
            />
            <section className="queue-list" aria-label={text.list}>
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
            {selected.size > 0 && (
              <div className="bulk-bar">
                <span>{strings.table.selected(selected.size)}</span>
                <span className="row">
                  <Button kind="primary" onClick={() => leave(() => void decideSelected('approve'))}>
                    {strings.actions.counted(isScheduled ? text.publish : strings.actions.approve, selected.size)}
                  </Button>
                  <Button kind="danger" onClick={() => leave(() => setRejecting(true))}>
                    {strings.actions.counted(strings.actions.reject, selected.size)}
                  </Button>
                  <Button kind="quiet" onClick={() => setSelected(new Set())}>
                    {strings.actions.clear}
                  </Button>
                </span>
              </div>
            )}
          </div>
          <Detail
            key={item.id}
            item={item}
            isMissing={isMissing}
            position={{ at: at + 1, count: Math.max(waiting, at + 1), skipped: skippedCount }}
            takesFocus={takesFocus}
            isAdmin={isAdmin}
            others={item.kind === 'submission' ? idsOf(item.project.owner_id).length - 1 : 0}
            onApprove={(approval) =>
              void decide(
                item,
                () => approve(item, approval),
                scheduledFor(item) === null ? text.approved : text.publishedNow,
              )
            }
            onReject={(reason) => void decide(item, () => reject(item, reason), text.rejected)}
            onRejectAll={() => {
              if (item.kind !== 'submission') return;
              setSelected(new Set(idsOf(item.project.owner_id)));
              setRejecting(true);
            }}
            onSkip={skip}
            onMove={move}
          />
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
