import { Fragment, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { AnalyticsReport } from '#contract/analytics.ts';
import type { Summary } from '#contract/summary.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useWaiting } from '../../app/waiting.ts';
import { BarChart } from '../../components/bar-chart.tsx';
import { EventSubject } from '../../components/event-subject.tsx';
import { later } from '../../components/lazy.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { DAY_MS, utcDayOf } from '../../days.ts';
import { formatAge, formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const Checklist = later(async () => (await import('./checklist.tsx')).Checklist, null);

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

/** As many cards as there will be, in their size. */
const CountPlaceholders = ({ count }: { readonly count: number }) => (
  <ul className="counts" role="status" aria-label={strings.states.loading}>
    {Array.from({ length: count }, (_, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the cards are all alike.
      <li key={at} className="count-card card">
        <span className="count-number skeleton" />
        <span className="soft small">&nbsp;</span>
        <span className="soft small">&nbsp;</span>
      </li>
    ))}
  </ul>
);

interface Task {
  readonly label: string;
  readonly count: number;
  readonly href: string;
  readonly extra?: ReactNode;
}

/** Moderators see what they can decide about. */
const tasksOf = (summary: Summary, isAdmin: boolean): readonly Task[] => {
  const oldest = summary.oldest_pending_at;
  return [
    {
      label: text.pending,
      count: summary.pending,
      href: '/queue?kind=submissions',
      extra: oldest ? text.oldest(formatAge(oldest)) : undefined,
    },
    { label: text.revisions, count: summary.revisions_pending, href: '/queue?kind=edits' },
    ...(isOn('drafts') ? [{ label: text.scheduled, count: summary.scheduled, href: '/queue?kind=scheduled' }] : []),
    { label: text.reports, count: summary.reports_open, href: '/reports' },
    ...(summary.vote_cases_open === undefined
      ? []
      : [{ label: text.voteCases, count: summary.vote_cases_open, href: '/reports?tab=votes' }]),
    ...(isAdmin
      ? [
          ...(summary.claims_open === undefined
            ? []
            : [{ label: text.claims, count: summary.claims_open, href: '/reports?tab=claims' }]),
          ...(isOn('promotions')
            ? [{ label: text.promotions, count: summary.promotions_waiting, href: '/promotions' }]
            : []),
          ...(isOn('webhooks') ? [{ label: text.webhooks, count: summary.webhooks_failing, href: '/webhooks' }] : []),
          { label: text.deadLetters, count: summary.dead_letters, href: '/events?tab=dead-letters' },
          { label: text.jobs, count: summary.jobs_failed, href: '/jobs' },
        ]
      : []),
  ];
};

const WaitingPlaceholder = ({ isAdmin }: { readonly isAdmin: boolean }) => (
  <div className="stack tight">
    <CountPlaceholders count={3} />
    <p className="soft">{text.clear}</p>
    {isAdmin && <p className="soft">{text.directory}</p>}
  </div>
);

/** What waits as cards, what does not in one line, and the size of the directory. */
const Waiting = ({ isAdmin }: { readonly isAdmin: boolean }) => (
  <Loaded query={useWaiting()} placeholder={<WaitingPlaceholder isAdmin={isAdmin} />}>
    {(summary) => {
      const tasks = tasksOf(summary, isAdmin);
      const waiting = tasks.filter(({ count }) => count > 0);
      const clear = tasks.filter(({ count }) => count === 0);
      return (
        <div className="stack tight">
          {waiting.length > 0 && (
            <ul className="counts">
              {waiting.map(({ label, ...task }) => (
                <Count key={label} label={label} {...task} />
              ))}
            </ul>
          )}
          <p className="soft">
            {clear.length > 0 && (
              <>
                {waiting.length === 0 ? text.nothing : text.clear}:{' '}
                {clear.map(({ label, href }, at) => (
                  <Fragment key={label}>
                    {at > 0 && ', '}
                    <Link href={href}>
                      0 <span>{label}</span>
                    </Link>
                  </Fragment>
                ))}
              </>
            )}
          </p>
          {isAdmin && (
            <p className="soft">
              {text.directory}: <Link href="/listings?status=live">{text.liveCount(summary.live)}</Link>,{' '}
              <Link href="/users">{text.userCount(summary.users)}</Link>
            </p>
          )}
        </div>
      );
    }}
  </Loaded>
);

const ChartPlaceholders = () => (
  <div className="grid placeholder" role="status" aria-label={strings.states.loading}>
    {[text.submissions, text.traffic].map((label) => (
      <section key={label} className="card">
        <h2>{label}</h2>
        <BarChart label={label} points={[]} />
      </section>
    ))}
  </div>
);

const DAYS = 30;

/** The two periods of a report of twice as many days: the values per day of the latter, and the sum of the former. */
const halves = (
  traffic: AnalyticsReport['traffic'],
  field: 'submissions' | 'pageviews',
): { readonly points: readonly (readonly [string, number])[]; readonly before: number } => ({
  points: traffic.slice(-DAYS).map((day) => [day.date, day[field]] as const),
  before: traffic.slice(0, -DAYS).reduce((sum, day) => sum + day[field], 0),
});

/** @param now begins with the first of the days that are compared. */
const twoPeriods = (now: number) => {
  return { from: utcDayOf(now - (2 * DAYS - 1) * DAY_MS), to: utcDayOf(now) };
};

const Traffic = () => {
  const query = twoPeriods(Date.now());
  const report = useResource(['analytics', query], (signal) => dataOf(client.analytics.report({ query, signal })), {
    poll: true,
  });
  return (
    <Loaded query={report} placeholder={<ChartPlaceholders />}>
      {({ traffic }) => (
        <div className="grid">
          <section className="card">
            <h2>{text.submissions}</h2>
            <BarChart label={text.submissions} {...halves(traffic, 'submissions')} />
          </section>
          <section className="card">
            <h2>{text.traffic}</h2>
            <BarChart label={text.traffic} {...halves(traffic, 'pageviews')} />
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
      <h2>{text.events}</h2>
      <Loaded query={events} rows={EVENTS_SHOWN}>
        {({ data }) =>
          data.length === 0 ? (
            <p className="soft">{text.noEvents}</p>
          ) : (
            <ul className="stack tight">
              {data.map(({ id, kind, occurred_at, data: payload }) => {
                return (
                  <li key={id} className="row apart">
                    <span>
                      <Link href={`/events?open=${id}`}>{words(kind)}</Link>
                      {' · '}
                      <EventSubject data={payload} />
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

const FirstSteps = () => {
  const { data } = useWaiting();
  return data?.live === 0 ? <Checklist /> : null;
};

export const Page = () => {
  const { is_admin: isAdmin } = useCurrentUser();
  return (
    <>
      <PageHeader title="Home" />
      <div className="stack">
        <section>
          <h2 className="visually-hidden">{text.waiting}</h2>
          <Waiting isAdmin={isAdmin} />
        </section>
        {isAdmin && <FirstSteps />}
        {isAdmin && isOn('analytics') && <Traffic />}
        {isAdmin && <LatestEvents />}
      </div>
    </>
  );
};
