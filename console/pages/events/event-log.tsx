import { Link } from 'wouter';
import type { EventKind, LoggedEvent } from '#contract/events.ts';
import { eventKinds } from '#shared/client/manifest.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { useCursorPages, useResource } from '../../app/queries.ts';
import { useUrl } from '../../app/url.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { EventSubject } from '../../components/event-subject.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Payload } from '../../components/payload.tsx';
import { ActorLink } from '../../components/record-link.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { Filters, useFilters } from './filters.tsx';
import { text } from './strings.ts';

const columns: readonly Column<LoggedEvent>[] = [
  {
    id: 'kind',
    label: text.columns.kind,
    cell: ({ id, kind }) => <Link href={`/events?open=${id}`}>{words(kind)}</Link>,
  },
  { id: 'subject', label: text.columns.subject, kind: 'main', cell: ({ data }) => <EventSubject data={data} /> },
  {
    id: 'actor',
    label: text.columns.actor,
    kind: 'minor',
    cell: ({ actor_id }) => <ActorLink id={actor_id} />,
  },
  { id: 'at', label: text.columns.at, cell: ({ occurred_at }) => <Time at={occurred_at} isAge /> },
];

export const EventLogTab = () => {
  const [url, setUrl] = useUrl();
  const filters = useFilters();
  const asked = url.get('kind');
  const kind = eventKinds.find((one) => one === asked);
  const events = useCursorPages(
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
      <CursorList
        pages={events}
        empty={<EmptyState title={kind === undefined && Object.keys(filters).length === 0 ? text.none : text.empty} />}
      >
        {(rows) => (
          <Table
            label={text.tabs.log}
            columns={columns}
            rows={rows}
            idOf={({ id }) => id}
            nameOf={({ kind: name }) => words(name)}
            onOpen={({ id }) => setUrl({ open: id })}
          />
        )}
      </CursorList>
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
                <dd>
                  <ActorLink id={actor_id} />
                </dd>
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
                    <span className="soft small">{text.attempts(attempts)}</span>
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
