import { useState } from 'react';
import { Link } from 'wouter';
import type { AdminReport, ReportGroup, ReportStatus } from '#contract/reports.ts';
import { client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { undoDecision } from '../../app/listings.ts';
import { notify, perform } from '../../app/notices.tsx';
import { refresh } from '../../app/queries.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { TextArea } from '../../components/fields.tsx';
import { Time } from '../../components/time.tsx';
import { UserLink } from '../../components/user-link.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';

interface Settlement {
  readonly status: ReportStatus;
  readonly action?: 'reject' | 'delete';
  readonly note?: string;
}

/** Settles reports together. @throws {Error} with the first message when some were not changed. */
const settle = async (reports: readonly AdminReport[], settlement: Settlement): Promise<void> => {
  const { results, failed } = await dataOf(
    client.reports.settleMany({ body: { ids: reports.map(({ id }) => id), ...settlement } }),
  );
  await refresh('reports', 'projects');
  if (failed === 0) return;
  const problem = results.find(({ ok }) => !ok);
  throw new Error(strings.reports.failed(failed, problem?.message ?? problem?.error ?? ''));
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
          <span className="soft">{strings.reports.noText}</span>
        ) : (
          <strong className="shrink" dir="auto">
            {report.reason}
          </strong>
        )}
        <span className="soft small">
          {is_admin && (
            <>
              {strings.reports.by}{' '}
              <UserLink user={report.user_id === null ? null : { id: report.user_id, name: strings.users.oneUser }} /> ·{' '}
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
          {strings.reports.note}: {report.note}
        </p>
      )}
    </li>
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
        strings.reports.done[settlement.action ?? settlement.status](project.name),
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
            ? strings.reports.newest(formatNumber(group.reports.length), formatNumber(count))
            : strings.reports.count(count)}
        </span>
      </h2>
      <ul className="stack">
        {group.reports.map((report) => (
          <ReportText key={report.id} report={report} />
        ))}
      </ul>
      {isOpen ? (
        <>
          <div className="form">
            <TextArea name="note" value={note} rows={2} hint={strings.reports.noteHint} onChange={setNote} />
          </div>
          <div className="row">
            {button(strings.reports.dismiss, { status: 'dismissed' })}
            {button(strings.reports.resolve, { status: 'resolved' })}
            {button(strings.reports.reject, { status: 'resolved', action: 'reject' }, true)}
            {is_admin && button(strings.reports.delete, { status: 'resolved', action: 'delete' }, true)}
          </div>
        </>
      ) : (
        <div>{button(strings.reports.reopen, { status: 'open' })}</div>
      )}
    </div>
  );
};
