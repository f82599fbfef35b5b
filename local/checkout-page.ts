import * as z from 'zod';
import { checked } from '#contract/checked.ts';
import { conflict, invalidInput, notFound } from '#shared/errors.ts';
import type { Answer } from './answer.ts';
import { type CheckoutDesk, type CheckoutSession, outcomes } from './checkout.ts';
import type { CheckoutNews } from './checkout-news.ts';
import { Html, html } from './html.ts';
import { accepts, jsonAnswer, type LocalRequest, type LocalRoute, pageAnswer } from './local-route.ts';

const Decision = z.object({
  outcome: z.enum(outcomes),
  amount: z.coerce.number().int().min(1).optional().describe('Of a refund; all that is left when absent.'),
});

// Whoever looks at it shall not take it for a real payment page for a moment.
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

const priceOf = ({ amount, currency }: CheckoutSession): string => {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: currency.toUpperCase() });
    return format.format(amount / 10 ** (format.resolvedOptions().maximumFractionDigits ?? 2));
  } catch {
    // A currency of three letters that does not exist can be asked for as well.
    return `${amount} ${currency}`;
  }
};

const stateOf = (session: CheckoutSession): string => {
  if (session.disputed) return 'disputed';
  if (session.amount_refunded >= session.amount) return 'refunded';
  if (session.payment_status === 'paid') return session.amount_refunded > 0 ? 'paid, partly refunded' : 'paid';
  if (session.status === 'expired') return 'expired';
  return session.status === 'complete' ? 'failed' : 'open';
};

const button = (outcome: string, words: string, look: string): Html =>
  html`<button class="${look}" name="outcome" value="${outcome}">${words}</button>`;

const choices = (session: CheckoutSession): readonly Html[] => {
  if (session.status === 'open') {
    return [
      button('paid', `Pay ${priceOf(session)}`, 'pay'),
      button('failed', 'Fail: the payment is declined', 'fail'),
      button('expired', 'Cancel: leave without paying', ''),
    ];
  }
  const isWhole = session.payment_status === 'paid' && session.amount_refunded < session.amount;
  return isWhole ? [button('refunded', 'Refund it', ''), button('disputed', 'Dispute it', 'fail')] : [];
};

const page = (session: CheckoutSession, desk: CheckoutDesk): Html => html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rehearsal of a payment</title>
${STYLE}
</head>
<body>
<header>REHEARSAL · NO MONEY MOVES</header>
<main>
<h1>${session.name}</h1>
<p class="price">${priceOf(session)}</p>
${session.status === 'open' ? html`<p class="soft">Decide what becomes of this payment. The service is told as the payment provider would tell it.</p>` : html`<p>This payment is <span class="state">${stateOf(session)}</span></p>`}
<form method="post" action="/_local/checkout/${session.reference}">${choices(session)}</form>
<p class="soft">${session.email ? `Bought by ${session.email}. ` : ''}Checkout ${session.reference}</p>
${desk.tellings(session.id).map((one) => html`<p class="soft">${one.type}: ${one.state}, tries: ${one.tries}${one.error ? ` (${one.error})` : ''}</p>`)}
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
  amount_refunded: session.amount_refunded,
  currency: session.currency,
});

const isForm = ({ headers }: LocalRequest): boolean =>
  /^application\/x-www-form-urlencoded\b/i.test(headers['content-type'] ?? '');

const readDecision = (request: LocalRequest): z.infer<typeof Decision> => {
  const text = request.body.toString('utf8');
  if (isForm(request)) return checked(Decision, Object.fromEntries(new URLSearchParams(text)));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw invalidInput(`The body is not valid JSON: ${(cause as Error).message}.`);
  }
  return checked(Decision, body);
};

const originOf = (address: string): string => URL.parse(address)?.origin ?? '';

/** The page may send its buyer on to where the service wants him, and a browser counts that as a part of the form. */
const framed = (answer: Answer, session: CheckoutSession): Answer => {
  const targets = [...new Set([session.success_url, session.cancel_url].map(originOf))].join(' ');
  const policy = String(answer.headers['content-security-policy']).replace(
    "form-action 'self'",
    `form-action 'self' ${targets}`,
  );
  return { ...answer, headers: { ...answer.headers, 'content-security-policy': policy } };
};

/** The rehearsal of the payment provider's page: a person or a program decides what becomes of a checkout. */
export const checkoutRoutes = (desk: CheckoutDesk, news: CheckoutNews): readonly LocalRoute[] => {
  const sessionOf = (request: LocalRequest): CheckoutSession => {
    const session = desk.find(request.params.checkout ?? '');
    if (!session) throw notFound();
    return session;
  };
  return [
    {
      method: 'GET',
      path: '/_local/checkout/{checkout}',
      answer: (request) => {
        const session = sessionOf(request);
        return accepts(request, 'application/json')
          ? jsonAnswer({ data: dataOf(session) })
          : framed(pageAnswer(page(session, desk)), session);
      },
    },
    {
      method: 'POST',
      path: '/_local/checkout/{checkout}',
      answer: async (request) => {
        const session = sessionOf(request);
        const { outcome, amount } = readDecision(request);
        const next = desk.bring(session.id, outcome, amount);
        if (!next)
          throw conflict('INVALID_TRANSITION', `A payment that is ${stateOf(session)} cannot become ${outcome}.`);
        await news.flush();
        if (!isForm(request)) return jsonAnswer({ data: dataOf(next) });
        const here = `/_local/checkout/${session.reference}`;
        const there = {
          paid: next.success_url,
          expired: next.cancel_url,
          failed: here,
          refunded: here,
          disputed: here,
        };
        return { status: 303, headers: { location: there[outcome], 'cache-control': 'no-store' }, body: '' };
      },
    },
  ];
};
