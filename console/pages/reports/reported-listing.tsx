import { useState } from 'react';
import { Link } from 'wouter';
import type { AdminReport, ReportGroup, ReportStatus } from '#contract/reports.ts';
import { client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { undoDecision, useListing } from '../../app/listings.ts';
import { refresh } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/fields.tsx';
import { Logo } from '../../components/logo.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { formatNumber, hostOf } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

interface Settlement {
  readonly status: ReportStatus;
  readonly action?: 'reject' | 'delete';
  readonly note?: string;
}

/** Settles reports together. @throws {Error} with the first message when some were not changed. */
const settle = async (reports: readonly AdminReport[], settlement: Settlement): Promise<void> => {
  const { results, failed } = await dataOf(
    client.reports.resolveMany({ body: { ids: reports.map(({ id }) => id), ...settlement } }),
  );
  await refresh('reports', 'projects');
  if (failed === 0) return;
  const problem = results.find(({ ok }) => !ok);
  throw new Error(text.failed(failed, problem?.message ?? problem?.error ?? ''));
};

/** Opens the reports again, and takes back what was done with the listing. */
const undo = async ({ project, reports }: ReportGroup, { action }: Settlement): Promise<void> => {
  if (action === 'reject') await undoDecision(project.id);
  if (action === 'delete') await dataOf(client.projects.bulk({ body: { ids: [project.id], action: 'restore' } }));
  await settle(reports, { status: 'open' });
};

const tones = { open: 'wait', resolved: 'good', dismissed: 'neutral' } as const;

const ReportText = ({ report }: { readonly report: AdminReport }) => {
  const { is_admin } = useCurrentUser();
  return (
    <li className="stack tight">
      <p className="row tight">
        {report.reason === '' ? (
          <span className="soft">{text.noText}</span>
        ) : (
          <strong className="shrink" dir="auto">
            {report.reason}
          </strong>
        )}
        <span className="soft small">
          {is_admin && (
            <>
              {text.by}{' '}
              <UserLink user={report.user_id === null ? null : { id: report.user_id, name: strings.user.oneUser }} /> ·{' '}
            </>
          )}
          <Time at={report.created_at} isAge />
        </span>
        {report.status !== 'open' && <Badge tone={tones[report.status]}>{strings.reportStatus[report.status]}</Badge>}
      </p>
      {report.details !== null && (
        <p className="reading prose" dir="auto">
          {report.details}
        </p>
      )}
      {report.note !== null && (
        <p className="soft reading prose" dir="auto">
          {text.note}: {report.note}
        </p>
      )}
    </li>
  );
};

/** What is reported: the listing as it is now. */
const Preview = ({ id }: { readonly id: string }) => {
  const { data } = useListing(id);
  if (!data) return <p className="soft small">&nbsp;</p>;
  const { project } = data;
  return (
    <div className="row top">
      <Logo url={project.logo_url} name={project.name} />
      <div className="shrink grow">
        <p className="row tight">
          <StatusBadge listing={project} />
          <a href={project.url} rel="noopener noreferrer nofollow" target="_blank">
            {hostOf(project.url)}
          </a>
        </p>
        <p className="reading clamped" dir="auto">
          {project.description}
        </p>
      </div>
    </div>
  );
};

/** How often each reason is given, and since when. */
const Reasons = ({ reports }: { readonly reports: readonly AdminReport[] }) => {
  const counts = Map.groupBy(reports, ({ reason }) => reason || text.noText);
  const oldest = reports.reduce((first, { created_at }) => (created_at < first ? created_at : first), '9999');
  return (
    <p className="soft small">
      {[...counts].map(([reason, same]) => `${formatNumber(same.length)} × ${reason}`).join(' · ')} · {text.oldest}{' '}
      <Time at={oldest} isAge />
    </p>
  );
};

/** A listing with its reports, which are settled together with what happens to it. */
export const ReportedListing = ({ group }: { readonly group: ReportGroup }) => {
  const { project, count } = group;
  const { is_admin } = useCurrentUser();
  const [note, setNote] = useState('');
  const isOpen = group.reports.every(({ status }) => status === 'open');
  const run = (settlement: Settlement) =>
    perform(async () => {
      await settle(group.reports, { ...settlement, ...(note.trim() !== '' && { note }) });
      notify(
        text.done[settlement.action ?? settlement.status](project.name),
        settlement.status === 'open' ? undefined : () => undo(group, settlement),
      );
    });
  const button = (label: string, settlement: Settlement, isDanger = false) => (
    <Button kind={isDanger ? 'danger' : 'normal'} onClick={() => void run(settlement)}>
      {strings.actions.counted(label, group.reports.length)}
    </Button>
  );
  return (
    <div className="stack">
      <h2 className="row">
        <Link href={`/listings?open=${project.id}`} className="shrink">
          <bdi>{project.name}</bdi>
        </Link>
        <span className="soft small">
          {count > group.reports.length
            ? text.newest(formatNumber(group.reports.length), formatNumber(count))
            : text.count(count)}
        </span>
      </h2>
      <Preview id={project.id} />
      {group.reports.length > 1 && <Reasons reports={group.reports} />}
      <ul className="stack">
        {group.reports.map((report) => (
          <ReportText key={report.id} report={report} />
        ))}
      </ul>
      {isOpen ? (
        <>
          <div className="form">
            <TextArea name="note" value={note} rows={2} hint={text.noteHint} onChange={setNote} />
          </div>
          <div className="row">
            {button(text.dismiss, { status: 'dismissed' })}
            {button(text.resolve, { status: 'resolved' })}
            {button(text.reject, { status: 'resolved', action: 'reject' }, true)}
            {is_admin && button(text.delete, { status: 'resolved', action: 'delete' }, true)}
          </div>
        </>
      ) : (
        <div>{button(text.reopen, { status: 'open' })}</div>
      )}
    </div>
  );
};
