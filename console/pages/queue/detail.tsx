import { type ComponentProps, type RefObject, useEffect, useRef, useState } from 'react';
import type { Project } from '#contract/projects.ts';
import type { QueuedRevision } from '#contract/revisions.ts';
import { type Keys, useKeys } from '../../app/keys.tsx';
import { isPublic, useDossier, useListing } from '../../app/listings.ts';
import { leave } from '../../app/unsaved.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { later } from '../../components/lazy.tsx';
import { ListingText } from '../../components/listing-text.tsx';
import { Logo } from '../../components/logo.tsx';
import { Loaded, Loading } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { DecisionButtons, ReasonField } from './decision-bar.tsx';
import type { Approval } from './decisions.ts';
import { Dossier } from './dossier.tsx';
import { type Item, nameOf, projectOf, scheduledFor, useOutcome, useWholeRevision } from './items.ts';
import { filled, unknownPlaceholders } from './placeholders.ts';
import { duplicateOf } from './risks.tsx';
import { text } from './strings.ts';

const Comparison = later(async () => (await import('./comparison.tsx')).Comparison);
const ListingForm = later(async () => (await import('../../components/listing-form.tsx')).ListingForm);
const RevisionView = later(async () => (await import('./revision.tsx')).RevisionView);
const ReplaceConfirm = later(async () => (await import('./revision.tsx')).ReplaceConfirm, null);

/** The name of the open item. It takes the focus after a decision, which announces the item, and shows its beginning. */
const Heading = ({ name, takesFocus }: { readonly name: string; readonly takesFocus: RefObject<boolean> }) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (!takesFocus.current) return;
    takesFocus.current = false;
    heading.current?.focus({ preventScroll: true });
    if ((heading.current?.getBoundingClientRect().top ?? 0) < 0)
      heading.current?.closest('article')?.scrollIntoView({ block: 'start' });
  }, [takesFocus]);
  return (
    <h2 ref={heading} tabIndex={-1} dir="auto">
      {name}
    </h2>
  );
};

/** An edit, as soon as it is read whole. */
const Edit = ({
  query,
  revision,
  ...view
}: Omit<ComponentProps<typeof RevisionView>, 'revision'> & {
  readonly query: ReturnType<typeof useWholeRevision>['query'];
  readonly revision: QueuedRevision | undefined;
}) => (revision ? <RevisionView revision={revision} {...view} /> : <Loaded query={query}>{() => <Loading />}</Loaded>);

/** The open item with everything that a decision about it needs. */
export const Detail = ({
  item,
  isMissing,
  position,
  takesFocus,
  isAdmin,
  others,
  onApprove,
  onReject,
  onRejectAll,
  onSkip,
  onMove,
}: {
  readonly item: Item;
  /** Whether the list does not have the item any more. It stays open until the moderator leaves it. */
  readonly isMissing: boolean;
  readonly position: { readonly at: number; readonly count: number; readonly skipped: number };
  readonly takesFocus: RefObject<boolean>;
  readonly isAdmin: boolean;
  /** The number of further submissions of the same user that wait. */
  readonly others: number;
  readonly onApprove: (approval: Approval) => void;
  readonly onReject: (reason: string) => void;
  readonly onRejectAll: () => void;
  readonly onSkip: () => void;
  readonly onMove: (step: number) => void;
}) => {
  const listing = useListing(projectOf(item));
  const dossier = useDossier(projectOf(item));
  const outcome = useOutcome(item, isMissing);
  const [isEditing, setEditing] = useState(false);
  const [isReplacing, setReplacing] = useState(false);
  const [isRejecting, setRejecting] = useState(false);
  const [picked, setPicked] = useState<string>();
  const [reason, setReason] = useState('');
  const [reasonErrors, setReasonErrors] = useState<readonly string[]>([]);
  const reasonField = useRef<HTMLTextAreaElement>(null);
  const [dropped, setDropped] = useState<ReadonlySet<string>>(new Set());
  const project = listing.data?.project;
  const whole = useWholeRevision(item);
  const revision = whole.revision ?? (isMissing && item.kind === 'edit' ? item.revision : undefined);
  const fields = revision?.changes.map(({ field }) => field) ?? [];
  const chosen = new Set<string>(fields.filter((field) => !dropped.has(field)));
  const publishAt = scheduledFor(item);
  const compared = picked ?? (dossier.data && duplicateOf(dossier.data)?.project.id);
  // Nothing is decided before everything that a decision is about is on the screen.
  const isWhole = item.kind === 'submission' || whole.revision !== undefined;
  const isShown = project !== undefined && dossier.data !== undefined && isWhole;
  const isOpen = !isMissing || outcome?.isDecided === false;
  const canDecide = isShown && isOpen && !(item.kind === 'edit' && chosen.size === 0);

  const approval: Approval = chosen.size < fields.length ? { fields: [...chosen] } : {};
  const approve = () => {
    if (!canDecide) return;
    if (revision?.outdated.some((field) => chosen.has(field))) setReplacing(true);
    else onApprove(approval);
  };
  const askReason = () => {
    setRejecting(true);
    reasonField.current?.focus();
  };
  useEffect(() => {
    if (isRejecting) reasonField.current?.focus();
  }, [isRejecting]);
  /** Without a reason the first attempt asks for one; the owner of an edit always gets one. */
  const reject = () => {
    if (!isRejecting) return askReason();
    if (!canDecide || unknownPlaceholders(reason).length > 0) return reasonField.current?.focus();
    const isAsked = reasonErrors.length > 0 && item.kind === 'submission';
    if (reason.trim() !== '' || isAsked) return onReject(filled(reason.trim(), project));
    setReasonErrors([item.kind === 'edit' ? text.reasonRequired : text.reasonMissing]);
    reasonField.current?.focus();
  };
  const rejectDuplicate = (other: Project) => {
    // The submitter can follow a link to a live listing only.
    const link = isPublic(other) ? other.url : undefined;
    setReason(text.isDuplicate(other.name, link));
    setReasonErrors([]);
    askReason();
  };
  const stopEditing = () => {
    takesFocus.current = true;
    setEditing(false);
  };
  const decisionKeys: Keys = {
    a: { label: publishAt === null ? strings.actions.approve : text.publish, run: approve },
    r: { label: text.focusReason, run: askReason },
    e: { label: strings.actions.edit, run: () => setEditing(true) },
  };
  useKeys({
    ...(canDecide && !isEditing && decisionKeys),
    ...(isEditing && { Escape: { label: strings.actions.cancel, run: () => leave(stopEditing) } }),
    s: { label: strings.actions.skip, run: onSkip },
    ...(project && { o: { label: text.openSite, run: () => open(project.url, '_blank', 'noopener,noreferrer') } }),
  });

  return (
    <article className="queue-detail" aria-label={nameOf(item)}>
      <Loaded query={listing}>
        {(loaded) => (
          <>
            <header className="queue-head">
              <Logo url={loaded.project.logo_url} name={loaded.project.name} isLarge />
              <div className="queue-heading">
                <Heading key={String(isEditing)} name={loaded.project.name} takesFocus={takesFocus} />
                <p className="soft small">
                  <a href={loaded.project.url} title={text.openSite} rel="noopener noreferrer nofollow" target="_blank">
                    {hostOf(loaded.project.url)}
                  </a>{' '}
                  ·{' '}
                  {publishAt === null ? (
                    <>
                      {text.age} <Time at={item.at} isAge />
                    </>
                  ) : (
                    <>
                      {text.becomesPublic} <Time at={publishAt} />
                    </>
                  )}{' '}
                  {item.kind === 'edit' && <Badge tone="accent">{text.edit}</Badge>}
                  {loaded.project.plan === 'premium' && <Badge tone="accent">{strings.plan.premium}</Badge>}
                </p>
              </div>
              <span className="row queue-position">
                <span className="soft small number">
                  {text.position(position.at, position.count, position.skipped)}
                </span>
                <Button kind="quiet" icon="previous" label={text.previous} onClick={() => onMove(-1)} />
                <Button kind="quiet" icon="next" label={text.next} onClick={() => onMove(1)} />
              </span>
              {!isEditing && (
                <div className="queue-actions">
                  {isRejecting && (
                    <ReasonField
                      value={reason}
                      onChange={(value) => {
                        setReason(value);
                        setReasonErrors([]);
                      }}
                      values={loaded.project}
                      errors={reasonErrors}
                      inputRef={reasonField}
                      onConfirm={reject}
                      onClose={() => setRejecting(false)}
                    />
                  )}
                  {isOpen ? (
                    <DecisionButtons
                      isBusy={!canDecide}
                      isScheduled={publishAt !== null}
                      onApprove={approve}
                      onReject={reject}
                      onEdit={() => setEditing(true)}
                      onSkip={onSkip}
                    />
                  ) : (
                    <div className="row decision">
                      <Button kind="primary" hint="s" onClick={onSkip}>
                        {text.continue}
                      </Button>
                    </div>
                  )}
                </div>
              )}
            </header>
            {isMissing && outcome?.isDecided !== false && (
              <p className="message wait" role="status">
                {outcome ? text.decidedBy(outcome.by) : text.stillReading}
              </p>
            )}
            {isEditing ? (
              <ListingForm listing={loaded} isAdmin={isAdmin} takesFocus onDone={stopEditing} />
            ) : (
              <div className="queue-columns">
                <div className="stack">
                  {item.kind === 'edit' ? (
                    <Edit
                      query={whole.query}
                      revision={revision}
                      project={loaded.project}
                      chosen={chosen}
                      onChoose={(field, isChosen) => {
                        const next = new Set(dropped);
                        if (isChosen) next.delete(field);
                        else next.add(field);
                        setDropped(next);
                      }}
                    />
                  ) : (
                    <ListingText project={loaded.project} />
                  )}
                  {compared !== undefined && (
                    <Comparison
                      project={loaded.project}
                      otherId={compared}
                      isWhole={picked !== undefined}
                      onReject={item.kind === 'submission' && canDecide ? rejectDuplicate : undefined}
                    />
                  )}
                </div>
                <Dossier
                  project={loaded.project}
                  compared={compared}
                  others={others}
                  onCompare={setPicked}
                  onRejectAll={() => leave(onRejectAll)}
                />
              </div>
            )}
            {isReplacing && revision && (
              <ReplaceConfirm
                revision={revision}
                project={loaded.project}
                fields={chosen}
                onReplace={() => onApprove({ ...approval, force: true })}
                onClose={() => setReplacing(false)}
              />
            )}
          </>
        )}
      </Loaded>
    </article>
  );
};
