import { Link as PageLink } from 'wouter';
import type { Project, ProjectDossier } from '#contract/projects.ts';
import { useDossier } from '../../app/listings.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { formatLocalDay, formatNumber, formatPercent, hostOf, words } from '../../format.ts';
import { duplicateOf } from './risks.tsx';
import { text } from './strings.ts';

const Duplicates = ({
  duplicates,
  compared,
  onCompare,
}: {
  readonly duplicates: ProjectDossier['duplicates'];
  readonly compared: string | undefined;
  readonly onCompare: (id: string) => void;
}) => {
  return (
    <section className="stack tight">
      <h3>{text.duplicates}</h3>
      {duplicates.length === 0 && <p className="soft">{text.noDuplicates}</p>}
      <ul className="stack tight">
        {duplicates.map(({ project: other, score, reasons }) => (
          <li key={other.id} className="row apart">
            <span className="duplicate">
              <span className="truncate" dir="auto">
                {other.name}
              </span>
              <span className="soft small">
                {text.score(formatPercent(score))} · {reasons.map((reason) => text.reasons[reason]).join(', ')}
              </span>
            </span>
            <StatusBadge listing={other} />
            <Button isPressed={other.id === compared} onClick={() => onCompare(other.id)}>
              {text.compare}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
};

const Submitter = ({
  submitter,
  others,
  onRejectAll,
}: {
  readonly submitter: ProjectDossier['submitter'];
  readonly others: number;
  readonly onRejectAll: () => void;
}) => (
  <section className="stack tight">
    <h3>{text.submitter}</h3>
    <p dir="auto">
      <UserLink user={submitter} /> {submitter.is_banned && <Badge tone="bad">{text.banned}</Badge>}
    </p>
    <p className="soft small">
      {[
        ...(submitter.joined_at ? [text.joined(formatLocalDay(submitter.joined_at))] : []),
        submitter.email_verified ? text.verified : text.unverified,
      ].join(' · ')}
    </p>
    <p className="soft small">
      {text.counts(submitter.counts.live, submitter.counts.pending, submitter.counts.rejected)} ·{' '}
      {text.lastDay(submitter.submissions_last_day)}
    </p>
    {others > 0 && (
      <p className="row">
        <PageLink href={`/queue?submitter=${encodeURIComponent(submitter.id)}`}>
          {text.onlySubmitter(others + 1)}
        </PageLink>
        <Button kind="danger" onClick={onRejectAll}>
          {text.rejectAll(others + 1)}
        </Button>
      </p>
    )}
  </section>
);

const linkTones = { alive: 'good', failing: 'wait', dead: 'bad' } as const;

const Link = ({ link }: { readonly link: ProjectDossier['link'] }) => (
  <section className="stack tight">
    <h3>{text.link}</h3>
    {link ? (
      <>
        <p>
          <Badge tone={linkTones[link.state]}>{text.linkStates[link.state]}</Badge>{' '}
          <span className="soft small">
            {link.status} <Time at={link.checked_at} isAge />
          </span>
        </p>
        {link.final_url && <p className="soft small truncate">{hostOf(link.final_url)}</p>}
      </>
    ) : (
      <p className="soft">{text.linkUnchecked}</p>
    )}
  </section>
);

const Signals = ({ signals, duplicates }: Pick<ProjectDossier, 'signals' | 'duplicates'>) => {
  const closest = duplicateOf({ duplicates });
  return (
    <section className="stack tight">
      <h3>{text.signals}</h3>
      {signals.length === 0 && !closest && <p className="soft">{text.noSignals}</p>}
      <ul className="stack tight">
        {closest && (
          <li>
            <Badge tone="wait">{text.duplicate}</Badge>{' '}
            <span className="small">{text.score(formatPercent(closest.score))}</span>
          </li>
        )}
        {signals.map(({ name, weight, explanation }) => (
          <li key={name}>
            <Badge tone={weight > 0 ? 'wait' : 'good'}>{words(name)}</Badge>{' '}
            <span className="small">{explanation}</span>
          </li>
        ))}
      </ul>
    </section>
  );
};

/** What is known about a submission beside its own text. */
export const Dossier = ({
  project,
  compared,
  others,
  onCompare,
  onRejectAll,
}: {
  readonly project: Project;
  /** The id of the listing that the submission is shown beside. */
  readonly compared: string | undefined;
  /** The number of further submissions of the same user that wait. */
  readonly others: number;
  readonly onCompare: (id: string) => void;
  readonly onRejectAll: () => void;
}) => (
  <Loaded query={useDossier(project.id)} rows={4}>
    {({ duplicates, submitter, link, signals, rule, reports_open }) => (
      <div className="dossier">
        {rule && (
          <section className="stack tight">
            <h3>{text.rule}</h3>
            <p>
              {rule.name} <Badge tone="wait">{words(rule.action)}</Badge>
            </p>
          </section>
        )}
        <Signals signals={signals} duplicates={duplicates} />
        <Duplicates duplicates={duplicates} compared={compared} onCompare={onCompare} />
        <Submitter submitter={submitter} others={others} onRejectAll={onRejectAll} />
        <Link link={link} />
        {reports_open > 0 && (
          <section className="stack tight">
            <h3>{text.reports}</h3>
            <p className="number">{formatNumber(reports_open)}</p>
          </section>
        )}
      </div>
    )}
  </Loaded>
);
