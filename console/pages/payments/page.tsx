import { Link } from 'wouter';
import type { AdminPayment } from '#contract/payments.ts';
import { bodyOf, client } from '../../api.ts';
import { apiUrl } from '../../app/location.ts';
import { useResource } from '../../app/queries.ts';
import { isLocal } from '../../app/session.ts';
import { perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { download } from '../../components/download.ts';
import { DayFields, SelectField } from '../../components/fields.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Pagination } from '../../components/pagination.tsx';
import { EmptyState, Loaded } from '../../components/states.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { UtcDay } from '../../components/time.tsx';
import { csvOf } from '../../csv.ts';
import { utcDayOf } from '../../days.ts';
import { formatMoney, formatMonth, formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

type State = AdminPayment['state'];

const tones: Readonly<Record<State, Tone>> = {
  processing: 'wait',
  paid: 'wait',
  fulfilled: 'good',
  refunded: 'neutral',
};

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
    cell: ({ state, is_disputed, has_inquiry, problem }) => (
      <span className="row">
        <Badge tone={tones[state]}>{text.states[state]}</Badge>
        {is_disputed && <Badge tone="bad">{text.disputed}</Badge>}
        {has_inquiry && <Badge tone="wait">{text.inquiry}</Badge>}
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
    cell: ({ amount_refunded, refund_currency }) =>
      amount_refunded > 0 && formatMoney(amount_refunded, refund_currency),
  },
  {
    id: 'paid',
    label: text.columns.paid,
    kind: 'minor',
    cell: ({ paid_at }) => paid_at !== null && <UtcDay at={paid_at} />,
  },
  {
    id: 'provider',
    label: text.columns.provider,
    kind: 'minor',
    cell: (payment) => {
      const href = providerUrl(payment);
      return href === undefined ? (
        <code>{payment.payment_intent ?? payment.session_id}</code>
      ) : (
        <a href={href} target="_blank" rel="noreferrer" className="one-line">
          {text.atProvider}
        </a>
      );
    },
  },
];

type Meta = Awaited<ReturnType<typeof readPayments>>['meta'];

interface Query {
  readonly state?: State;
  readonly from?: string;
  readonly to?: string;
  readonly page: number;
}

const readPayments = async (query: Query, signal: AbortSignal) =>
  await bodyOf(client.payments.browse({ query, signal }));

const EXPORTED = [
  'id',
  'title',
  'state',
  'is_disputed',
  'has_inquiry',
  'problem',
  'amount',
  'currency',
  'amount_refunded',
  'refund_currency',
  'paid_at',
  'payment_intent',
] as const satisfies readonly (keyof AdminPayment)[];

const REQUEST_MAX = 100;

/** Saves the payments that match the filters; amounts are in the smallest unit of their currency. */
const exportPayments = async ({ page: _page, ...query }: Query): Promise<void> => {
  const rows: (string | number)[][] = [['user_id', 'project_id', ...EXPORTED]];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const { data, meta } = await bodyOf(client.payments.browse({ query: { ...query, page, limit: REQUEST_MAX } }));
    pages = Math.ceil(meta.total / REQUEST_MAX);
    for (const payment of data) {
      const { user, project } = payment;
      const cells = EXPORTED.map((name) => {
        const { [name]: value } = payment;
        return typeof value === 'number' ? value : String(value ?? '');
      });
      rows.push([user.id, project?.id ?? '', ...cells]);
    }
  }
  const file = `payments-${utcDayOf(Date.now())}.csv`;
  await download(new Blob([csvOf(rows)], { type: 'text/csv' }).stream(), file);
};

/** The net amount of each month as a bar, by currency; the table below has the numbers. */
const Months = ({ months }: Pick<Meta, 'months'>) => (
  <div className="grid" aria-hidden>
    {Object.entries(Object.groupBy(months, ({ currency }) => currency)).map(([currency, entries = []]) => {
      const max = Math.max(1, ...entries.map(({ net }) => Math.abs(net)));
      return (
        <div key={currency} className="month-bars">
          {entries
            .toSorted((one, other) => (one.month < other.month ? -1 : 1))
            .map(({ month, net }) => (
              <span
                key={month}
                className={net < 0 ? 'negative' : undefined}
                style={{ blockSize: `${Math.max(2, (Math.abs(net) / max) * 100)}%` }}
                title={`${formatMonth(month)}: ${formatMoney(net, currency)}`}
              />
            ))}
        </div>
      );
    })}
  </div>
);

const Totals = ({ meta: { totals, months, unreconciled } }: { readonly meta: Meta }) => (
  <>
    <ul className="counts amounts">
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
      <section className="card stack tight months">
        <h2>{text.months}</h2>
        <Months months={months} />
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
                <td>{formatMonth(month)}</td>
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
        <DayFields
          isUtc
          from={from ?? ''}
          to={to ?? ''}
          onChange={(name, day) => setUrl({ [name]: day, page: undefined })}
        />
        {(state ?? from ?? to) && (
          <Button onClick={() => setUrl({ state: undefined, from: undefined, to: undefined, page: undefined })}>
            {text.clear}
          </Button>
        )}
        {payments.data && payments.data.meta.total > 0 && (
          <span className="push">
            <Button onClick={() => void perform(() => exportPayments(query))}>
              {strings.actions.counted(strings.actions.export, payments.data.meta.total)}
            </Button>
          </span>
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
