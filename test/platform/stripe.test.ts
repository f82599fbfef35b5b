import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { openSession } from '#platform/stripe.ts';

let server: Server;
const bodies: string[] = [];

beforeAll(async () => {
  // Stripe's response to an invalid address.
  const message = 'Invalid email address: buyer@odd.example';
  const error = { type: 'invalid_request_error', code: 'email_invalid', param: 'customer_email', message };
  server = createServer((request, response) => {
    void (async () => {
      bodies.push(await text(request));
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    })();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterAll(() => {
  server.close();
});

const useServer = () => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_refused');
  vi.stubEnv('STRIPE_API_BASE', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return vi.spyOn(log, 'error').mockImplementation(() => undefined);
};

it('logs the code of a rejected request without the address of the buyer', async () => {
  const logError = useServer();
  const checkout = { id: 'chk_1', title: 'Premium listing', amount: 4900, currency: 'usd' };
  await expect(openSession(checkout, { email: 'buyer@odd.example' })).rejects.toMatchObject({
    code: 'PAYMENTS_UNAVAILABLE',
  });
  expect(logError.mock.calls).toEqual([
    [
      expect.any(String),
      { error: expect.objectContaining({ code: 'email_invalid', param: 'customer_email', status: 400 }) as unknown },
    ],
  ]);
  expect(JSON.stringify(logError.mock.calls)).not.toContain('odd.example');
});

it.each([248, 249, 250])(
  'names the product by the beginning of a title with a wide character after %d others',
  async (count) => {
    useServer();
    const checkout = { id: 'chk_1', title: `${'x'.repeat(count)}😀y`, amount: 4900, currency: 'usd' };
    await expect(openSession(checkout, { email: null })).rejects.toMatchObject({ code: 'PAYMENTS_UNAVAILABLE' });
    const name = [...checkout.title].slice(0, 250).join('');
    expect(new URLSearchParams(bodies.at(-1)).get('line_items[0][price_data][product_data][name]')).toBe(name);
  },
);
