import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { openSession, refund, verifyEvent } from '#platform/stripe.ts';
import { signatureOf, stripeEvent } from '#test/support/payments.ts';

interface Received {
  readonly method: string | undefined;
  readonly key: string | undefined;
  readonly form: Readonly<Record<string, string>>;
}

let server: Server;
const received: Received[] = [];
/** The problem of a request; undefined for one that opens a session. */
let problemOf: (form: Received['form']) => object | undefined;

/** The refunds that the provider has made. */
let made: object[] = [];

const ADDRESS = 'buyer@odd.example';
/** Stripe's messages repeat what they are about, and can repeat more of the request. */
const message = `Invalid email address: ${ADDRESS}`;
const session = { id: 'cs_1', object: 'checkout.session', url: 'https://pay.example/cs_1' };

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      const form = Object.fromEntries(new URLSearchParams(await text(request)));
      received.push({ method: request.method, key: request.headers['idempotency-key']?.toString(), form });
      const problem = problemOf(form);
      const error = { type: 'invalid_request_error', message, ...problem };
      response
        .writeHead(problem ? 400 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(problem ? { error } : request.method === 'GET' ? { object: 'list', data: made } : session));
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterAll(() => {
  server.close();
});

afterEach(() => {
  vi.useRealTimers();
});

const useServer = (problem: typeof problemOf) => {
  received.length = 0;
  problemOf = problem;
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_refused');
  vi.stubEnv('STRIPE_API_BASE', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return {
    error: vi.spyOn(log, 'error').mockImplementation(() => undefined),
    warn: vi.spyOn(log, 'warn').mockImplementation(() => undefined),
  };
};

const checkout = { id: 'chk_1', title: 'Premium listing', amount: 4900, currency: 'usd' };
const UNAVAILABLE = { code: 'PAYMENTS_UNAVAILABLE' };

it('logs the code of a rejected request without the address of the buyer', async () => {
  const logged = useServer(() => ({ code: 'url_invalid', param: 'success_url' }));
  await expect(openSession(checkout, { email: ADDRESS })).rejects.toMatchObject(UNAVAILABLE);
  expect(logged.error.mock.calls).toEqual([
    [
      expect.any(String),
      { error: expect.objectContaining({ code: 'url_invalid', param: 'success_url', status: 400 }) as unknown },
    ],
  ]);
  expect(JSON.stringify([logged.error.mock.calls, logged.warn.mock.calls])).not.toContain('odd.example');
  // Without the address the answer would be the same.
  expect(received).toHaveLength(1);
});

it.each([
  ['code and parameter', { code: 'email_invalid', param: 'customer_email' }],
  ['parameter', { param: 'customer_email' }],
  ['code', { code: 'email_invalid' }],
])('opens the page without an address that the provider refuses by its %s', async (_, problem) => {
  const logged = useServer((form) => (form.customer_email === undefined ? undefined : problem));
  const open = () => openSession(checkout, { email: ADDRESS });
  expect(await open()).toEqual({ sessionId: session.id, url: session.url });

  const [refused, accepted] = received;
  expect(refused).toMatchObject({ key: 'chk_1', form: { customer_email: ADDRESS } });
  const { customer_email: _address, ...others } = refused?.form ?? {};
  expect(accepted?.form).toEqual(others);
  expect(accepted?.key).toMatch(/chk_1/);
  expect(accepted?.key).not.toBe(refused?.key);

  expect(logged.error).not.toHaveBeenCalled();
  expect(logged.warn.mock.calls).toEqual([
    [expect.any(String), { error: expect.objectContaining({ ...problem, status: 400 }) as unknown }],
  ]);
  expect(JSON.stringify(logged.warn.mock.calls)).not.toContain('odd.example');

  // A repetition sends the same requests, so that the provider opens one session.
  await open();
  expect(received.slice(2)).toEqual([refused, accepted]);
});

it('asks once more only when the provider refuses the request without the address too', async () => {
  const logged = useServer(() => ({ code: 'email_invalid', param: 'customer_email' }));
  await expect(openSession(checkout, { email: ADDRESS })).rejects.toMatchObject(UNAVAILABLE);
  expect(received).toHaveLength(2);
  expect(JSON.stringify([logged.error.mock.calls, logged.warn.mock.calls])).not.toContain('odd.example');
});

it.each([null, 'buyer@example.com'])('asks once for a buyer with the address %s, which it takes', async (email) => {
  const logged = useServer(() => undefined);
  await openSession(checkout, { email });
  expect(received).toMatchObject([{ key: 'chk_1' }]);
  expect(received[0]?.form.customer_email).toBe(email ?? undefined);
  expect(logged.warn).not.toHaveBeenCalled();
});

it.each([248, 249, 250])(
  'names the product by the beginning of a title with a wide character after %d others',
  async (count) => {
    useServer(() => ({ code: 'url_invalid', param: 'success_url' }));
    const long = { ...checkout, title: `${'x'.repeat(count)}😀y` };
    await expect(openSession(long, { email: null })).rejects.toMatchObject(UNAVAILABLE);
    const name = [...long.title].slice(0, 250).join('');
    expect(received.at(-1)?.form['line_items[0][price_data][product_data][name]']).toBe(name);
  },
);

it.each([
  [-301, false],
  [-300, true],
  [0, true],
  [300, true],
  [301, false],
  [86_400, false],
])('a signature of a time %i seconds from now is accepted: %s', async (seconds, isAccepted) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 20, 9, 30, 0, 999) });
  vi.stubEnv('STRIPE_WEBHOOK_SECRET', 'whsec_other,whsec_local');
  const payload = JSON.stringify(stripeEvent('invoice.paid', {}));
  const timestamp = Math.floor(Date.now() / 1000) + seconds;
  const verified = verifyEvent(Buffer.from(payload), signatureOf(payload, { timestamp }));
  if (isAccepted) await expect(verified).resolves.toBeUndefined();
  else await expect(verified).rejects.toMatchObject({ code: 'INVALID_SIGNATURE' });
});

it('refunds a part once per id, also when the provider has forgotten its idempotency key', async () => {
  useServer(() => undefined);
  const paid = { id: 'chk_1', payment_intent: 'pi_1' };
  const part = { id: 'du_1', amount: 300 };
  made = [
    { id: 're_1', metadata: { part: 'du_0' } },
    { id: 're_2', metadata: {} },
  ];
  await refund(paid, part);
  expect(received.filter(({ method }) => method === 'POST')).toEqual([
    {
      method: 'POST',
      key: 'refund-chk_1-du_1',
      form: { payment_intent: 'pi_1', amount: '300', 'metadata[part]': 'du_1' },
    },
  ]);
  received.length = 0;
  made = [...made, { id: 're_3', status: 'failed', metadata: { part: 'du_1' } }];
  await refund(paid, part);
  expect(received.map(({ method }) => method)).toEqual(['GET']);
  // What is left of a payment is refunded without asking.
  await refund(paid);
  expect(received.at(-1)).toEqual({
    method: 'POST',
    key: 'refund-chk_1-all',
    form: { payment_intent: 'pi_1', 'metadata[part]': 'all' },
  });
});
