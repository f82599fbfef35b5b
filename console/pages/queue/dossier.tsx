import { useState } from 'react';
import type { Project, ProjectDossier } from '#contract/projects.ts';
import { useDossier } from '../../app/listings.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { later } from '../../components/later.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatDay, formatNumber, formatPercent, hostOf, words } from '../../format.ts';
import * as strings from '../../strings.ts';

const Comparison = later(async () => (await import('./comparison.tsx')).Comparison, null);

const Duplicates = ({
  project,
  duplicates,
}: {
  readonly project: Project;
  readonly duplicates: ProjectDossier['duplicates'];
}) => {
  const [compared, setCompared] = useState<string>();
  return (
    <section className="stack tight">
      <h3>{strings.queue.duplicates}</h3>
      {duplicates.length === 0 && <p className="soft">{strings.queue.noDuplicates}</p>}
      <ul className="stack tight">
        {duplicates.map(({ project: other, score, reasons }) => (
          <li key={other.id} className="row apart">
            <span className="duplicate">
              <span className="truncate" dir="auto">
                {other.name}
              </span>
              <span className="soft small">
                {strings.queue.score(formatPercent(score))} ·{' '}
                {reasons.map((reason) => strings.queue.reasons[reason]).join(', ')}
              </span>
            </span>
            <StatusBadge listing={other} />
            <Button onClick={() => setCompared(other.id)}>{strings.queue.compare}</Button>
          </li>
        ))}
      </ul>
      {compared !== undefined && (
        <Comparison project={project} otherId={compared} onClose={() => setCompared(undefined)} />
      )}
    </section>
  );
};

const Submitter = ({ submitter }: { readonly submitter: ProjectDossier['submitter'] }) => (
  <section className="stack tight">
    <h3>{strings.queue.submitter}</h3>
    <p dir="auto">
      {submitter.name ?? submitter.id} {submitter.is_banned && <Badge tone="bad">{strings.queue.banned}</Badge>}
    </p>
    <p className="soft small">
      {[
        ...(submitter.joined_at ? [strings.queue.joined(formatDay(submitter.joined_at))] : []),
        submitter.email_verified ? strings.queue.verified : strings.queue.unverified,
      ].join(' · ')}
    </p>
    <p className="soft small">
      {strings.queue.counts(submitter.counts.live, submitter.counts.pending, submitter.counts.rejected)} ·{' '}
      {strings.queue.lastDay(submitter.submissions_last_day)}
    </p>
  </section>
);

const linkTones = { alive: 'good', failing: 'wait', dead: 'bad' } as const;

const Link = ({ link }: { readonly link: ProjectDossier['link'] }) => (
  <section className="stack tight">
    <h3>{strings.queue.link}</h3>
    {link ? (
      <>
        <p>
          <Badge tone={linkTones[link.state]}>{strings.queue.linkStates[link.state]}</Badge>{' '}
          <span className="soft small">
            {link.status} <Time at={link.checked_at} isAge />
          </span>
        </p>
        {link.final_url && <p className="soft small truncate">{hostOf(link.final_url)}</p>}
      </>
    ) : (
      <p className="soft">{strings.queue.linkUnchecked}</p>
    )}
  </section>
);

const Signals = ({ signals }: { readonly signals: ProjectDossier['signals'] }) => (
  <section className="stack tight">
    <h3>{strings.queue.signals}</h3>
    {signals.length === 0 && <p className="soft">{strings.queue.noSignals}</p>}
    <ul className="stack tight">
      {signals.map(({ name, weight, explanation }) => (
        <li key={name}>
          <Badge tone={weight > 0 ? 'wait' : 'good'}>{words(name)}</Badge> <span className="small">{explanation}</span>
        </li>
      ))}
    </ul>
  </section>
);

/** What is known about a submission beside its own text. */
export const Dossier = ({ project }: { readonly project: Project }) => (
  <Loaded query={useDossier(project.id)} rows={4}>
    {({ duplicates, submitter, link, signals, rule, reports_open }) => (
      <div className="dossier">
        {rule && (
          <section className="stack tight">
            <h3>{strings.queue.rule}</h3>
            <p>
              {rule.name} <Badge tone="wait">{words(rule.action)}</Badge>
            </p>
          </section>
        )}
        <Signals signals={signals} />
        <Duplicates project={project} duplicates={duplicates} />
        <Submitter submitter={submitter} />
        <Link link={link} />
        {reports_open > 0 && (
          <section className="stack tight">
            <h3>{strings.queue.reports}</h3>
            <p className="number">{formatNumber(reports_open)}</p>
          </section>
        )}
      </div>
    )}
  </Loaded>
);
