import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { UserDossier } from '#contract/users.ts';
import { client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { useResource } from '../../app/queries.ts';
import { isOn } from '../../app/session.ts';
import { useHref } from '../../app/url.ts';
import { StatusBadge } from '../../components/badge.tsx';
import { EventSubject } from '../../components/event-subject.tsx';
import { useRecordTitle } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { userName } from '../../components/user-link.tsx';
import { formatMoney, formatNumber, hostOf, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { BanCard, EraseCard, RoleCard } from './account.tsx';
import { text } from './strings.ts';
import { UserBadges } from './user-badges.tsx';

const Facts = ({ user }: { readonly user: UserDossier }) => {
  const { facts } = text;
  const verified = user.email_verified ? text.verified : text.unverified;
  return (
    <dl className="facts">
      <dt>{facts.email}</dt>
      <dd>
        {user.email === null ? (
          <span className="soft">{text.noEmail}</span>
        ) : (
          <>
            {user.email} <span className="soft">({verified})</span>
          </>
        )}
      </dd>
      <dt>{facts.joined}</dt>
      <dd>
        <Time at={user.joined_at} />
      </dd>
      {user.website !== null && (
        <>
          <dt>{facts.website}</dt>
          <dd>
            <a href={user.website} target="_blank" rel="noreferrer">
              {hostOf(user.website)}
            </a>
          </dd>
        </>
      )}
      {user.bio !== null && (
        <>
          <dt>{facts.bio}</dt>
          <dd className="prose" dir="auto">
            {user.bio}
          </dd>
        </>
      )}
      <dt>{facts.id}</dt>
      <dd className="mono small">{user.id}</dd>
    </dl>
  );
};

/** The newest records of one kind. */
const Records = ({
  title,
  count,
  empty,
  all,
  children,
}: {
  readonly title: string;
  readonly count?: number;
  readonly empty: string;
  /** The URL of all of them. */
  readonly all?: string;
  readonly children: readonly ReactNode[];
}) => (
  <section className="card">
    <h2 className="row apart">
      <span>
        {title} {count !== undefined && <span className="soft number">{formatNumber(count)}</span>}
      </span>
      {all !== undefined && children.length > 0 && (
        <Link href={all} className="small">
          {text.showAll}
          <span className="visually-hidden"> {title}</span>
        </Link>
      )}
    </h2>
    {children.length === 0 ? <p className="soft">{empty}</p> : <ul className="stack tight">{children}</ul>}
  </section>
);

const Activity = ({ user }: { readonly user: UserDossier }) => {
  const id = encodeURIComponent(user.id);
  const { live, pending, rejected, deleted } = user.counts;
  return (
    <>
      <Records
        title={text.listings}
        count={live + pending + rejected + deleted}
        empty={text.noListings}
        all={`/listings?status=all&owner=${id}`}
      >
        {user.submissions.map((listing) => (
          <li key={listing.id} className="row apart">
            <Link href={`/listings?open=${listing.id}`} dir="auto" className="shrink">
              {listing.name}
            </Link>
            <span className="row tight">
              <span className="soft small">
                <Time at={listing.created_at} isAge />
              </span>
              <StatusBadge listing={listing} />
            </span>
          </li>
        ))}
      </Records>
      {isOn('comments') && (
        <Records title={text.comments} count={user.comment_count} empty={text.noComments} all={`/comments?user=${id}`}>
          {user.comments.map((comment) => (
            <li key={comment.id}>
              <p className="prose clamped" dir="auto">
                {comment.content}
              </p>
              <Link className="soft small" href={`/listings?open=${comment.project_id}`}>
                <Time at={comment.created_at} isAge />
              </Link>
            </li>
          ))}
        </Records>
      )}
      <Records title={text.reports} empty={text.noReports}>
        {user.reports.map((report) => (
          <li key={report.id} className="row apart">
            <Link href={`/listings?open=${report.project_id}`} dir="auto" className="shrink">
              {report.reason}
            </Link>
            <span className="soft small">
              {strings.reportStatus[report.status]} · <Time at={report.created_at} isAge />
            </span>
          </li>
        ))}
      </Records>
      <Records title={text.payments} empty={text.noPayments}>
        {user.payments.map((payment) => (
          <li key={payment.id} className="row apart">
            <span>
              {text.paymentTypes[payment.type]} · {text.paymentKinds[payment.kind]}
            </span>
            <span className="number">
              {formatMoney(payment.amount, payment.currency)}{' '}
              <span className="soft small">
                <Time at={payment.created_at} isAge />
              </span>
            </span>
          </li>
        ))}
      </Records>
    </>
  );
};

const EVENTS_SHOWN = 10;

/** The newest events that the user caused. */
const Events = ({ id }: { readonly id: string }) => {
  const query = { actor: id, limit: EVENTS_SHOWN };
  const events = useResource(['events', query], (signal) => dataOf(client.events.list({ query, signal })), {
    poll: true,
  });
  return (
    <Loaded query={events} rows={3}>
      {(all) => (
        <Records title={text.events} empty={text.noEvents}>
          {all.map(({ id: event, kind, occurred_at, data }) => (
            <li key={event} className="row apart">
              <span className="shrink">
                <Link href={`/events?open=${event}`}>{words(kind)}</Link> · <EventSubject data={data} />
              </span>
              <span className="soft small">
                <Time at={occurred_at} isAge />
              </span>
            </li>
          ))}
        </Records>
      )}
    </Loaded>
  );
};

/** A user with everything that the user did, and what can be done about it. */
export const UserView = ({ id }: { readonly id: string }) => {
  const hrefWith = useHref();
  const me = useCurrentUser();
  const query = useResource(
    ['users', 'one', id],
    (signal) => dataOf(client.users.read({ params: { user: id }, signal })),
    { poll: true },
  );
  useRecordTitle(query.data && userName(query.data));
  return (
    <div className="stack">
      <Link href={hrefWith({ open: undefined })}>← {text.all}</Link>
      <Loaded query={query}>
        {(user) => (
          <>
            <div className="row">
              <h2 dir="auto" className="shrink">
                {userName(user)}
              </h2>
              <UserBadges user={user} />
            </div>
            <div className="split">
              <div className="stack">
                <section className="card">
                  <h2 className="visually-hidden">{text.heading}</h2>
                  <Facts user={user} />
                </section>
                <Activity user={user} />
                <Events id={id} />
              </div>
              {user.id === me.id ? (
                <p className="message">{text.self}</p>
              ) : (
                <section className="card stack">
                  <h2 className="visually-hidden">{text.account}</h2>
                  <RoleCard key={user.role} user={user} />
                  <BanCard key={`${user.is_banned} ${user.ban_reason} ${user.ban_expires_at}`} user={user} />
                  <EraseCard user={user} />
                </section>
              )}
            </div>
          </>
        )}
      </Loaded>
    </div>
  );
};
