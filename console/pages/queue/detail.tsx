import { useRef, useState } from 'react';
import { useKeys } from '../../app/keys.tsx';
import { useListing } from '../../app/listings.ts';
import { Badge } from '../../components/badge.tsx';
import { later } from '../../components/later.tsx';
import { ListingText } from '../../components/listing-text.tsx';
import { Logo } from '../../components/logo.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { DecisionButtons, ReasonField } from './decision-bar.tsx';
import type { Approval } from './decisions.ts';
import { Dossier } from './dossier.tsx';
import { type Item, nameOf, projectOf } from './items.ts';

const ListingForm = later(async () => (await import('../../components/listing-form.tsx')).ListingForm);
const RevisionView = later(async () => (await import('./revision.tsx')).RevisionView);

/** The open item with everything that a decision about it needs. */
export const Detail = ({
  item,
  isAdmin,
  onApprove,
  onReject,
  onSkip,
}: {
  readonly item: Item;
  readonly isAdmin: boolean;
  readonly onApprove: (approval: Approval) => void;
  readonly onReject: (reason: string) => void;
  readonly onSkip: () => void;
}) => {
  const listing = useListing(projectOf(item));
  const [isEditing, setEditing] = useState(false);
  const [reason, setReason] = useState('');
  const [reasonErrors, setReasonErrors] = useState<readonly string[]>([]);
  const reasonField = useRef<HTMLTextAreaElement>(null);
  const [dropped, setDropped] = useState<ReadonlySet<string>>(new Set());
  const fields = item.kind === 'edit' ? item.revision.changes.map(({ field }) => field) : [];
  const chosen = new Set<string>(fields.filter((field) => !dropped.has(field)));

  const approve = () => {
    if (item.kind === 'submission') return onApprove({});
    onApprove({
      ...(chosen.size < fields.length && { fields: [...chosen] }),
      force: item.revision.outdated.some((field) => chosen.has(field)),
    });
  };
  /** Without a reason the first attempt asks for one; the owner of an edit always gets one. */
  const reject = () => {
    const isAsked = reasonErrors.length > 0 && item.kind === 'submission';
    if (reason.trim() !== '' || isAsked) return onReject(reason.trim());
    setReasonErrors([item.kind === 'edit' ? strings.queue.reasonRequired : strings.queue.reasonMissing]);
    reasonField.current?.focus();
  };
  useKeys({
    a: { label: strings.actions.approve, run: approve },
    r: { label: strings.queue.focusReason, run: () => reasonField.current?.focus() },
    e: { label: strings.actions.edit, run: () => setEditing(true) },
    s: { label: strings.actions.skip, run: onSkip },
  });

  return (
    <article className="queue-detail" aria-label={nameOf(item)}>
      <Loaded query={listing}>
        {(loaded) => {
          const { project } = loaded;
          return (
            <>
              <header className="row">
                <Logo url={project.logo_url} name={project.name} isLarge />
                <div className="queue-heading">
                  <h2 dir="auto">{project.name}</h2>
                  <p className="soft small">
                    {hostOf(project.url)} · {strings.queue.age} <Time at={item.at} isAge />{' '}
                    {item.kind === 'edit' && <Badge tone="accent">{strings.queue.edit}</Badge>}
                    {project.plan === 'premium' && <Badge tone="accent">{strings.plan.premium}</Badge>}
                  </p>
                </div>
              </header>
              {isEditing ? (
                <ListingForm listing={loaded} isAdmin={isAdmin} onDone={() => setEditing(false)} />
              ) : (
                <>
                  <div className="queue-columns">
                    {item.kind === 'edit' ? (
                      <RevisionView
                        revision={item.revision}
                        chosen={chosen}
                        onChoose={(field, isChosen) => {
                          const next = new Set(dropped);
                          if (isChosen) next.delete(field);
                          else next.add(field);
                          setDropped(next);
                        }}
                      />
                    ) : (
                      <ListingText project={project} />
                    )}
                    <Dossier project={project} />
                  </div>
                  <footer className="decision">
                    <ReasonField
                      value={reason}
                      onChange={(value) => {
                        setReason(value);
                        setReasonErrors([]);
                      }}
                      values={{ name: project.name, url: project.url }}
                      errors={reasonErrors}
                      inputRef={reasonField}
                      onConfirm={reject}
                    />
                    <DecisionButtons
                      isBusy={item.kind === 'edit' && chosen.size === 0}
                      onApprove={approve}
                      onReject={reject}
                      onEdit={() => setEditing(true)}
                      onSkip={onSkip}
                    />
                  </footer>
                </>
              )}
            </>
          );
        }}
      </Loaded>
    </article>
  );
};
