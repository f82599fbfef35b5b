import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { openSession } from '#platform/stripe.ts';

let server: Server;

beforeAll(async () => {
  // Stripe's response to an invalid address.
  const message = 'Invalid email address: buyer@odd.example';
  const error = { type: 'invalid_request_error', code: 'email_invalid', param: 'customer_email', message };
  server = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterAll(() => {
  server.close();
});

it('logs the code of a rejected request without the address of the buyer', async () => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_refused');
  vi.stubEnv('STRIPE_API_BASE', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const logError = vi.spyOn(log, 'error').mockImplementation(() => undefined);
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
