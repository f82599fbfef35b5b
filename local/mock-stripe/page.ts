import * as z from 'zod';
import { checked } from '#contract/fields.ts';
import { formatMoney, stepOf } from '#contract/money.ts';
import { conflict, invalidFields, invalidInput, notFound } from '#shared/errors.ts';
import type { Bus } from '../bus.ts';
import { Html, html } from '../html.ts';
import type { HttpResponse } from '../http-response.ts';
import { accepts, jsonResponse, type LocalRequest, type LocalRoute, pageResponse } from '../local-route.ts';
import { amountRefunded, type CheckoutSession, type MockStripe, type Outcome, outcomes } from './mock-stripe.ts';
import { WEBHOOK_TRIGGER } from './webhooks.ts';

const Decision = z.object({
  outcome: z.enum(outcomes),
  amount: z.coerce.number().int().min(1).optional().describe('Amount of a refund; the remaining amount when absent.'),
});

// The striking style prevents confusion with a real payment page.
const STYLE = new Html(`<style>
  :root { color-scheme: light; }
  * { box-sizing: border-box; }
  body { margin: 0; min-height: 100vh; font: 16px/1.5 system-ui, sans-serif; color: #1c1917;
    background: repeating-linear-gradient(-45deg, #fde047 0 28px, #facc15 28px 56px); }
  header { background: #1c1917; color: #fde047; text-align: center; padding: .8rem 1rem; font-weight: 700; letter-spacing: .12em; }
  main { background: #fff; max-width: 27rem; margin: 2.5rem auto; padding: 1.6rem 1.75rem 1.75rem; border: 3px dashed #1c1917; border-radius: 1rem; }
  h1 { font-size: 1.15rem; margin: 0; overflow-wrap: anywhere; } .price { font-size: 2.2rem; font-weight: 700; margin: .2rem 0 1rem; }
  form { display: grid; gap: .6rem; } p { margin: .5rem 0; } .soft { color: #57534e; font-size: .875rem; overflow-wrap: anywhere; }
  button { font: inherit; font-weight: 600; padding: .7rem 1rem; border-radius: .6rem; border: 2px solid #1c1917; background: #fff; color: #1c1917; cursor: pointer; }
  button.pay { background: #15803d; border-color: #15803d; color: #fff; } button.fail { border-color: #b91c1c; color: #b91c1c; }
  button:focus-visible, a:focus-visible { outline: 3px solid #2563eb; outline-offset: 2px; }
  .state { display: inline-block; border: 2px solid; border-radius: .4rem; padding: .1rem .6rem; font-weight: 700; }
</style>`);

const priceOf = ({ amount, currency }: CheckoutSession): string => formatMoney(amount, currency, { locale: 'en' });

const stateOf = (session: CheckoutSession): string => {
  if (session.dispute === 'needs_response' || session.dispute === 'lost') return 'disputed';
  const refunded = amountRefunded(session);
  if (refunded >= session.amount) return 'refunded';
  if (session.payment_status === 'paid') {
    if (session.dispute === 'warning_needs_response') return 'paid, the bank asks about it';
    return refunded > 0 ? 'paid, partly refunded' : 'paid';
  }
  if (session.is_processing) return 'processing';
  if (session.status === 'expired') return 'expired';
  return session.status === 'complete' ? 'failed' : 'open';
};

const button = (outcome: string, label: string, style: string): Html =>
  html`<button class="${style}" name="outcome" value="${outcome}">${label}</button>`;

const disputeButtons = {
  none: [button('inquiry', 'The bank asks about the payment', ''), button('disputed', 'Dispute the payment', 'fail')],
  warning_needs_response: [
    button('dispute_won', 'The bank has no more questions', ''),
    button('disputed', 'Dispute the payment', 'fail'),
  ],
  needs_response: [button('dispute_won', 'Win the dispute', 'pay'), button('dispute_lost', 'Lose the dispute', 'fail')],
  warning_closed: [],
  won: [],
  lost: [],
} as const satisfies Record<NonNullable<CheckoutSession['dispute']> | 'none', readonly Html[]>;

const buttonsFor = (session: CheckoutSession): readonly Html[] => {
  if (session.status === 'open') {
    return [
      button('paid', `Pay ${priceOf(session)}`, 'pay'),
      button('processing', 'Debit a bank account, which takes days', ''),
      button('failed', 'Decline the payment', 'fail'),
      button('expired', 'Cancel without paying', ''),
    ];
  }
  if (session.is_processing) {
    return [button('paid', 'The debit succeeds', 'pay'), button('failed', 'The debit fails', 'fail')];
  }
  if (session.payment_status !== 'paid') return [];
  const isRefundable = amountRefunded(session) < session.amount;
  return [
    ...(isRefundable ? [button('refunded', 'Refund the payment', '')] : []),
    ...(session.refunds.at(-1)?.status === 'succeeded' ? [button('refund_failed', 'The refund fails', '')] : []),
    ...disputeButtons[session.dispute ?? 'none'],
  ];
};

const page = (session: CheckoutSession, bus: Bus): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Test payment</title>
${STYLE}
</head>
<body>
<header>TEST MODE · NO MONEY MOVES</header>
<main>
<h1>${session.name}</h1>
<p class="price">${priceOf(session)}</p>
${session.status === 'open' ? html`<p class="soft">Choose the outcome of this payment. The service receives the same webhook events as from Stripe.</p>` : html`<p>This payment is <span class="state">${stateOf(session)}</span></p>`}
<form method="post" action="/_local/checkout/${session.reference}">${buttonsFor(session)}</form>
<p class="soft">${session.email ? `Buyer: ${session.email}. ` : ''}Checkout ${session.reference}</p>
${session.events.flatMap((id) => bus.deliveriesOf(id)).map((one) => html`<p class="soft">${one.kind}: ${one.state}, tries: ${one.tries}${one.error ? ` (${one.error})` : ''}</p>`)}
</main>
</body>
</html>
`;

const dataOf = (session: CheckoutSession) => ({
  checkout: session.reference,
  session: session.id,
  payment_intent: session.payment_intent,
  status: stateOf(session),
  amount: session.amount,
  amount_refunded: amountRefunded(session),
  currency: session.currency,
});

const isForm = ({ headers }: LocalRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');

const readDecision = (request: LocalRequest): z.infer<typeof Decision> => {
  // Leaves out a byte order mark.
  const text = new TextDecoder().decode(request.body);
  if (isForm(request)) return checked(Decision, Object.fromEntries(new URLSearchParams(text)));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw invalidInput(`The body is not valid JSON: ${(cause as Error).message}.`);
  }
  return checked(Decision, body);
};

const originOf = (url: string): string => URL.parse(url)?.origin ?? '';

/** Browsers apply `form-action` to the redirect after a form as well, so the return URLs have to be allowed. */
const allowReturnUrls = (response: HttpResponse, session: CheckoutSession): HttpResponse => {
  const targets = [...new Set([session.success_url, session.cancel_url].map(originOf))].join(' ');
  const policy = String(response.headers['content-security-policy']).replace(
    "form-action 'self'",
    `form-action 'self' ${targets}`,
  );
  return { ...response, headers: { ...response.headers, 'content-security-policy': policy } };
};

/** Where the page leads: the buyer leaves it by paying or cancelling; all other outcomes are not chosen by a buyer. */
const locationAfter = (session: CheckoutSession, outcome: Outcome): string => {
  if (outcome === 'processing' || (outcome === 'paid' && !session.is_processing)) return session.success_url;
  return outcome === 'expired' ? session.cancel_url : `/_local/checkout/${session.reference}`;
};

/** The payment page: a person or a program chooses the outcome of a checkout. */
export const paymentPageRoutes = (mockStripe: MockStripe, bus: Bus): readonly LocalRoute[] => {
  const sessionOf = (request: LocalRequest): CheckoutSession => {
    const session = mockStripe.find(request.params.checkout ?? '');
    if (!session) throw notFound();
    return session;
  };
  return [
    {
      method: 'GET',
      path: '/_local/checkout/{checkout}',
      respond: (request) => {
        const session = sessionOf(request);
        return accepts(request, 'application/json')
          ? jsonResponse({ data: dataOf(session) })
          : allowReturnUrls(pageResponse(page(session, bus)), session);
      },
    },
    {
      method: 'POST',
      path: '/_local/checkout/{checkout}',
      respond: async (request) => {
        const session = sessionOf(request);
        const { outcome, amount } = readDecision(request);
        const step = stepOf(session.currency);
        if ((amount ?? 0) % step !== 0) {
          throw invalidFields([{ path: ['amount'], message: `must be a multiple of ${step} in ${session.currency}` }]);
        }
        const next = mockStripe.applyOutcome(session.id, outcome, { amount });
        if (!next)
          throw conflict('INVALID_TRANSITION', `A payment that is ${stateOf(session)} cannot become ${outcome}.`);
        await bus.flush(WEBHOOK_TRIGGER.id);
        if (!isForm(request)) return jsonResponse({ data: dataOf(next) });
        const location = locationAfter(session, outcome);
        return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' };
      },
    },
  ];
};
