import type { Attempt, Delivery, Webhook } from '#contract/webhooks.ts';
import { bodyOf, client, dataOf } from '../../api.ts';
import { refresh, useCursorPages } from '../../app/queries.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CursorList } from '../../components/cursor-list.tsx';
import { SelectField } from '../../components/fields.tsx';
import { Time } from '../../components/time.tsx';
import { DAY_MS } from '../../days.ts';
import { formatNumber, words } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

type State = Delivery['state'];

const tones: Readonly<Record<State, Tone>> = {
  pending: 'wait',
  delivered: 'good',
  failed: 'bad',
  cancelled: 'neutral',
};

const resultOf = ({ status, error, duration_ms }: Attempt): string =>
  [status === null ? text.noResponse : text.answered(status), error, text.took(formatNumber(duration_ms))]
    .filter((part) => part !== null)
    .join(' · ');

/** A request and its response. */
export const AttemptView = ({ attempt }: { readonly attempt: Attempt }) => (
  <li className="stack tight">
    <p className="row">
      <Badge tone={attempt.ok ? 'good' : 'bad'}>{attempt.ok ? text.states.delivered : text.states.failed}</Badge>
      <Time at={attempt.at} />
      <span className="soft">{resultOf(attempt)}</span>
    </p>
    {attempt.request && (
      <>
        <h3 className="label">{text.request}</h3>
        <pre className="message">
          {Object.entries(attempt.request.headers)
            .map(([name, value]) => `${name}: ${value}`)
            .join('\n')}
          {'\n\n'}
          {attempt.request.body}
        </pre>
      </>
    )}
    {attempt.response !== null && (
      <>
        <h3 className="label">{text.response}</h3>
        <pre className="message">{attempt.response || strings.fields.empty}</pre>
      </>
    )}
  </li>
);

const DeliveryView = ({ delivery }: { readonly delivery: Delivery }) => {
  const { id, kind, state, attempts, next_attempt_at, created_at, webhook_id } = delivery;
  const replay = async () => {
    const { state: after } = await dataOf(client.webhooks.replay({ params: { webhook: webhook_id, delivery: id } }));
    notify(text.replayed(text.states[after]));
    await refresh('webhooks');
  };
  return (
    <li className="delivery">
      <details>
        <summary>
          <Badge tone={tones[state]}>
            {state === 'pending' && attempts.length > 0 ? text.retrying : text.states[state]}
          </Badge>
          <strong>{words(kind)}</strong>
          <span className="soft small">
            <Time at={created_at} isAge /> · {text.attempts(attempts.length)}
            {next_attempt_at !== null && (
              <>
                {' · '}
                {Date.parse(next_attempt_at) > Date.now() ? (
                  <>
                    {text.next} <Time at={next_attempt_at} isAge />
                  </>
                ) : (
                  text.due
                )}
              </>
            )}
          </span>
        </summary>
        <ul className="stack">
          {attempts.toReversed().map((attempt) => (
            <AttemptView key={attempt.at} attempt={attempt} />
          ))}
        </ul>
      </details>
      <Button onClick={() => void perform(replay)}>{text.replay}</Button>
    </li>
  );
};

/** Replays reach back as far as deliveries are kept. */
const KEPT_DAYS = 30;

export const Deliveries = ({ webhook }: { readonly webhook: Webhook }) => {
  const [url, setUrl] = useUrl();
  const asked = url.get('state');
  const state = asked !== null && Object.hasOwn(tones, asked) ? (asked as State) : undefined;
  const deliveries = useCursorPages(
    ['webhooks', webhook.id, { state }],
    (after, signal) =>
      bodyOf(
        client.webhooks.listDeliveries({
          params: { webhook: webhook.id },
          query: { ...(state && { state }), ...(after && { after }) },
          signal,
        }),
      ),
    { poll: true },
  );
  const replayFailed = async () => {
    const query = { state: 'failed', limit: 1 } as const;
    const [failed] = await dataOf(client.webhooks.listDeliveries({ params: { webhook: webhook.id }, query }));
    if (!failed) return notify(text.nothingFailed);
    await dataOf(
      client.webhooks.replayFailed({
        params: { webhook: webhook.id },
        body: { since: new Date(Date.now() - KEPT_DAYS * DAY_MS).toISOString() },
      }),
    );
    notify(text.replayingFailed);
    await refresh('webhooks');
  };
  return (
    <section className="card stack tight">
      <div className="filter-bar">
        <h2>{text.deliveries}</h2>
        <span className="push">
          <SelectField
            name="state"
            value={state ?? 'all'}
            options={[['all', strings.fields.all], ...(Object.entries(text.states) as [State, string][])]}
            onChange={(next) => setUrl({ state: next === 'all' ? undefined : next })}
          />
        </span>
        <Button isDisabled={!webhook.is_active} onClick={() => void perform(replayFailed)}>
          {text.replayAll}
        </Button>
      </div>
      <CursorList pages={deliveries} empty={<p className="soft">{text.noDeliveries}</p>}>
        {(rows) => (
          <ul>
            {rows.map((delivery) => (
              <DeliveryView key={delivery.id} delivery={delivery} />
            ))}
          </ul>
        )}
      </CursorList>
    </section>
  );
};
