import { Link } from 'wouter';
import type { AdminPayment } from '#contract/payments.ts';
import { bodyOf, client } from '../../api.ts';
import { apiUrl } from '../../app/location.ts';
import { useResource } from '../../app/queries.ts';
import { isLocal } from '../../app/session.ts';
import { useUrl } from '../../app/url.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { SelectField, TextField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { formatMoney, formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';

const text = strings.payments;

type State = AdminPayment['state'];

const tones: Readonly<Record<State, Tone>> = { paid: 'wait', fulfilled: 'good', refunded: 'neutral' };

/** The payment at the provider: the local one, or Stripe, whose ids alone have a page. */
const providerUrl = ({ id, payment_intent }: AdminPayment): string | undefined => {
  if (isLocal()) return `${apiUrl}/_local/checkout/${id}`;
  return payment_intent?.startsWith('pi_') ? `https://dashboard.stripe.com/payments/${payment_intent}` : undefined;
};

const columns: readonly Column<AdminPayment>[] = [
  {
    id: 'title',
    label: text.columns.title,
    kind: 'main',
    cell: ({ title, project }) =>
      project ? (
        <Link href={`/listings?open=${project.id}`}>
          <bdi>{title}</bdi>
        </Link>
      ) : (
        <strong>{title}</strong>
      ),
  },
  {
    id: 'state',
    label: text.columns.state,
    cell: ({ state, is_disputed, problem }) => (
      <span className="row">
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        {is_disputed && <Badge tone="bad">{text.disputed}</Badge>}
        {problem !== null && <Badge tone="bad">{text.problems[problem]}</Badge>}
      </span>
    ),
  },
  {
    id: 'user',
    label: text.columns.user,
    kind: 'minor',
    cell: ({ user }) => (
      <Link href={`/users?open=${encodeURIComponent(user.id)}`}>
        <bdi>{user.name ?? user.id}</bdi>
      </Link>
    ),
  },
  {
    id: 'amount',
    label: text.columns.amount,
    kind: 'end',
    cell: ({ amount, currency }) => formatMoney(amount, currency),
  },
  {
    id: 'refunded',
    label: text.columns.refunded,
    kind: 'end minor',
    cell: ({ amount_refunded, currency }) => amount_refunded > 0 && formatMoney(amount_refunded, currency),
  },
  { id: 'paid', label: text.columns.paid, kind: 'minor', cell: ({ paid_at }) => <Time at={paid_at} /> },
  {
    id: 'provider',
    label: text.columns.provider,
    kind: 'minor',
    cell: (payment) => {
      const href = providerUrl(payment);
      return href === undefined ? (
        <code>{payment.payment_intent ?? payment.session_id}</code>
      ) : (
        <a href={href} target="_blank" rel="noreferrer">
          {text.atProvider}
        </a>
      );
    },
  },
];

type Meta = Awaited<ReturnType<typeof readPayments>>['meta'];

const readPayments = async (query: { state?: State; from?: string; to?: string; page: number }, signal: AbortSignal) =>
  await bodyOf(client.payments.browse({ query, signal }));

const Totals = ({ meta: { totals, months, unreconciled } }: { readonly meta: Meta }) => (
  <>
    <ul className="counts">
      {Object.entries(totals).map(([currency, { paid, refunded, net }]) => (
        <li key={currency} className="card">
          <span className="soft">{text.net(currency.toUpperCase())}</span>
          <p className="count-number number">{formatMoney(net, currency)}</p>
          <p className="soft small">{text.ofWhich(formatMoney(paid, currency), formatMoney(refunded, currency))}</p>
        </li>
      ))}
      <li className="card">
        <span className="soft">{text.unreconciled}</span>
        <p className="count-number number">{formatNumber(unreconciled)}</p>
        <p className="small">
          {unreconciled > 0 ? <Link href="/payments?state=paid">{text.showThem}</Link> : text.allReconciled}
        </p>
      </li>
    </ul>
    {months.length > 0 && (
      <section className="card stack tight">
        <h2>{text.months}</h2>
        <table className="table">
          <caption className="visually-hidden">{text.months}</caption>
          <thead>
            <tr>
              <th>{text.month}</th>
              <th className="end">{text.columns.amount}</th>
              <th className="end">{text.columns.refunded}</th>
              <th className="end">{text.netHeading}</th>
            </tr>
          </thead>
          <tbody>
            {months.map(({ month, currency, paid, refunded, net }) => (
              <tr key={`${month} ${currency}`}>
                <td>{new Date(`${month}-15`).toLocaleDateString(undefined, { month: 'long', year: 'numeric' })}</td>
                <td className="end">{formatMoney(paid, currency)}</td>
                <td className="end">{formatMoney(refunded, currency)}</td>
                <td className="end">{formatMoney(net, currency)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    )}
  </>
);

export const Page = () => {
  const [url, setUrl] = useUrl();
  const asked = url.get('state');
  const state = asked !== null && Object.hasOwn(tones, asked) ? (asked as State) : undefined;
  const [from, to] = [url.get('from'), url.get('to')];
  const page = Number(url.get('page') ?? 1);
  const query = { ...(state && { state }), ...(from && { from }), ...(to && { to }), page };
  const payments = useResource(['payments', 'all', query], (signal) => readPayments(query, signal), { poll: true });
  return (
    <>
      <PageHeader title="Payments" />
      <div className="filter-bar">
        <SelectField
          name="state"
          value={state ?? 'all'}
          options={[['all', strings.fields.all], ...(Object.entries(text.states) as [State, string][])]}
          onChange={(next) => setUrl({ state: next === 'all' ? undefined : next, page: undefined })}
        />
        <TextField
          name="from"
          type="date"
          value={from ?? ''}
          onChange={(day) => setUrl({ from: day, page: undefined })}
        />
        <TextField name="to" type="date" value={to ?? ''} onChange={(day) => setUrl({ to: day, page: undefined })} />
        {(state ?? from ?? to) && (
          <Button onClick={() => setUrl({ state: undefined, from: undefined, to: undefined, page: undefined })}>
            {text.clear}
          </Button>
        )}
      </div>
      <Loaded query={payments}>
        {({ data, meta }) => (
          <div className="stack">
            <Totals meta={meta} />
            {data.length === 0 ? (
              <EmptyState title={text.empty} />
            ) : (
              <section>
                <Table
                  label={text.list}
                  columns={columns}
                  rows={data}
                  idOf={({ id }) => id}
                  nameOf={({ title }) => title}
                />
                <Pagination meta={meta} onPage={(next) => setUrl({ page: next })} />
              </section>
            )}
          </div>
        )}
      </Loaded>
    </>
  );
};
