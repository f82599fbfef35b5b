import { Link } from 'wouter';
import type { EventKind, LedgerEvent } from '#contract/events.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { eventKinds } from '../../app/event-kinds.ts';
import { useLedger, useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { SelectField } from '../../components/fields.tsx';
import { LedgerMore } from '../../components/ledger-more.tsx';
import { Payload } from '../../components/payload.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { Filters, useFilters } from './filters.tsx';

const text = strings.events;

/** What an event is about, in a few words. */
const subjectOf = ({ data }: LedgerEvent): string => {
  const { name, project_id, user_id, host, batch_id } = data as Readonly<Record<string, string | undefined>>;
  return name ?? host ?? project_id ?? user_id ?? batch_id ?? '';
};

const columns: readonly Column<LedgerEvent>[] = [
  {
    id: 'kind',
    label: text.columns.kind,
    cell: ({ id, kind }) => <Link href={`/events?open=${id}`}>{words(kind)}</Link>,
  },
  { id: 'subject', label: text.columns.subject, kind: 'main', cell: (event) => <bdi>{subjectOf(event)}</bdi> },
  {
    id: 'actor',
    label: text.columns.actor,
    kind: 'minor',
    cell: ({ actor_id }) =>
      actor_id === null ? <span className="soft">{text.service}</span> : <span className="mono small">{actor_id}</span>,
  },
  { id: 'at', label: text.columns.at, cell: ({ occurred_at }) => <Time at={occurred_at} isAge /> },
];

export const LedgerTab = () => {
  const [url, setUrl] = useUrl();
  const filters = useFilters();
  const asked = url.get('kind');
  const kind = eventKinds.find((one) => one === asked);
  const events = useLedger(
    ['events', { kind, ...filters }],
    (after, signal) =>
      bodyOf(client.events.list({ query: { ...filters, ...(kind && { kind }), ...(after && { after }) }, signal })),
    { poll: true },
  );
  return (
    <section>
      <div className="filter-bar">
        <SelectField
          name="kind"
          value={kind ?? 'all'}
          options={[['all', strings.fields.all], ...eventKinds.map((one): [EventKind, string] => [one, words(one)])]}
          onChange={(next) => setUrl({ kind: next === 'all' ? undefined : next })}
        />
        <Filters />
      </div>
      <Loaded query={events}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={text.empty} />
          ) : (
            <Table
              label={text.tabs.ledger}
              columns={columns}
              rows={rows}
              idOf={({ id }) => id}
              nameOf={({ kind: name }) => words(name)}
              onOpen={({ id }) => setUrl({ open: id })}
            />
          )
        }
      </Loaded>
      <LedgerMore ledger={events} />
    </section>
  );
};

const tones: Readonly<Record<string, Tone>> = {
  done: 'good',
  delivered: 'good',
  failed: 'bad',
  pending: 'wait',
};

/** An event with what its subscribers and webhooks did with it. */
export const EventDetail = ({ id }: { readonly id: string }) => {
  const event = useResource(['events', id], (signal) => dataOf(client.events.read({ params: { event: id }, signal })), {
    poll: true,
  });
  return (
    <div className="stack">
      <Link href="/events">{text.back}</Link>
      <Loaded query={event}>
        {({ kind, occurred_at, actor_id, data, subscribers, deliveries }) => (
          <div className="grid">
            <section className="card stack tight">
              <h2>{words(kind)}</h2>
              <dl className="facts">
                <dt>ID</dt>
                <dd className="mono">{id}</dd>
                <dt>{text.columns.at}</dt>
                <dd>
                  <Time at={occurred_at} />
                </dd>
                <dt>{text.columns.actor}</dt>
                <dd>{actor_id ?? text.service}</dd>
              </dl>
              <Payload data={data} />
            </section>
            <section className="card stack tight">
              <h2>{text.subscribers}</h2>
              {subscribers.length === 0 && <p className="soft">{text.noSubscribers}</p>}
              <ul className="stack">
                {subscribers.map(({ id: name, summary, state, at, runs, error }) => (
                  <li key={name}>
                    <p className="row">
                      <Badge tone={tones[state] ?? 'neutral'}>{text.outcomes[state]}</Badge>
                      <strong>{summary}</strong>
                    </p>
                    <p className="soft small">
                      <code>{name}</code> · {text.runs(runs)}
                      {at !== null && (
                        <>
                          {' · '}
                          <Time at={at} />
                        </>
                      )}
                    </p>
                    {error !== null && <p className="message bad">{error}</p>}
                  </li>
                ))}
              </ul>
              {deliveries.length > 0 && <h2>{text.deliveries}</h2>}
              <ul className="stack tight">
                {deliveries.map(({ id: delivery, webhook_id, state, attempts }) => (
                  <li key={delivery} className="row">
                    <Badge tone={tones[state] ?? 'neutral'}>{words(state)}</Badge>
                    <Link href={`/webhooks?open=${webhook_id}`}>{webhook_id}</Link>
                    <span className="soft small">{text.attempts(formatNumber(attempts))}</span>
                  </li>
                ))}
              </ul>
            </section>
          </div>
        )}
      </Loaded>
    </div>
  );
};
