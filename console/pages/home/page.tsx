import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { bodyOf, client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useWaiting } from '../../app/waiting.ts';
import { BarChart } from '../../components/bar-chart.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { formatAge, formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';

const Count = ({
  label,
  count,
  href,
  extra,
}: {
  readonly label: string;
  readonly count: number;
  /** Undefined for what has no page, or none for the caller's role. */
  readonly href?: string | undefined;
  readonly extra?: ReactNode;
}) => {
  const content = (
    <>
      <span className="count-number number">{formatNumber(count)}</span>
      <span>{label}</span>
    </>
  );
  return (
    <li className="count-card card">
      {href === undefined ? <span className="contents">{content}</span> : <Link href={href}>{content}</Link>}
      {extra !== undefined && <span className="soft small">{extra}</span>}
    </li>
  );
};

/** Moderators see what they can decide about. */
const Waiting = ({ isAdmin }: { readonly isAdmin: boolean }) => (
  <Loaded query={useWaiting()} rows={2}>
    {(summary) => {
      const oldest = summary.oldest_pending_at;
      return (
        <ul className="counts">
          <Count
            label={strings.home.pending}
            count={summary.pending}
            href="/queue?kind=submissions"
            extra={oldest ? strings.home.oldest(formatAge(oldest)) : undefined}
          />
          <Count label={strings.home.revisions} count={summary.revisions_pending} href="/queue?kind=edits" />
          <Count label={strings.home.reports} count={summary.reports_open} href="/reports" />
          {isAdmin && (
            <>
              {isOn('promotions') && (
                <Count label={strings.home.promotions} count={summary.promotions_waiting} href="/promotions" />
              )}
              {isOn('webhooks') && (
                <Count label={strings.home.webhooks} count={summary.webhooks_failing} href="/webhooks" />
              )}
              <Count label={strings.home.deadLetters} count={summary.dead_letters} href="/events?tab=letters" />
              <Count label={strings.home.jobs} count={summary.jobs_failed} href="/jobs" />
              <Count label={strings.home.live} count={summary.live} href="/listings?status=live" />
              <Count label={strings.home.users} count={summary.users} href="/users" />
            </>
          )}
        </ul>
      );
    }}
  </Loaded>
);

const Traffic = () => {
  const report = useResource(
    ['analytics', { range: '30d' }],
    (signal) => dataOf(client.analytics.report({ query: { range: '30d' }, signal })),
    { poll: true },
  );
  return (
    <Loaded query={report}>
      {({ traffic }) => (
        <div className="grid">
          <section className="card">
            <h2>{strings.home.submissions}</h2>
            <BarChart label={strings.home.submissions} points={traffic.map((day) => [day.date, day.submissions])} />
          </section>
          <section className="card">
            <h2>{strings.home.traffic}</h2>
            <BarChart label={strings.home.traffic} points={traffic.map((day) => [day.date, day.pageviews])} />
          </section>
        </div>
      )}
    </Loaded>
  );
};

const EVENTS_SHOWN = 12;

const LatestEvents = () => {
  const events = useResource(
    ['events', { limit: EVENTS_SHOWN }],
    (signal) => bodyOf(client.events.list({ query: { limit: EVENTS_SHOWN }, signal })),
    { poll: true },
  );
  return (
    <section className="card">
      <h2>{strings.home.events}</h2>
      <Loaded query={events}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">{strings.home.noEvents}</p>
          ) : (
            <ul className="stack tight">
              {data.map(({ id, kind, occurred_at, data: payload }) => {
                const { project_id, name } = payload as { project_id?: string; name?: string };
                return (
                  <li key={id} className="row apart">
                    <span>
                      {words(kind)}
                      {project_id && (
                        <>
                          {' · '}
                          <Link href={`/listings?open=${project_id}`}>{name ?? project_id}</Link>
                        </>
                      )}
                    </span>
                    <span className="soft small">
                      <Time at={occurred_at} isAge />
                    </span>
                  </li>
                );
              })}
            </ul>
          )
        }
      </Loaded>
    </section>
  );
};

export const Page = () => {
  const { is_admin: isAdmin } = useCurrentUser();
  return (
    <>
      <PageHeader title="Home" />
      <div className="stack">
        <section>
          <h2 className="visually-hidden">{strings.home.waiting}</h2>
          <Waiting isAdmin={isAdmin} />
        </section>
        {isAdmin && isOn('analytics') && <Traffic />}
        {isAdmin && <LatestEvents />}
      </div>
    </>
  );
};
