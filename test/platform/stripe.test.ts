import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { log } from '#platform/log.ts';
import { openSession } from '#platform/stripe.ts';

/** What is said about a provider that refuses. */

let server: Server;

beforeAll(async () => {
  // As Stripe refuses an address that it takes for none.
  const message = 'Invalid email address: somebody@odd.example';
  const error = { type: 'invalid_request_error', code: 'email_invalid', param: 'customer_email', message };
  server = createServer((_, response) => {
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
});

afterAll(() => {
  server.close();
});

it('names the reason of a refusal in the log, and never whom it was about', async () => {
  vi.stubEnv('TABLE_NAME', 'none');
  vi.stubEnv('STRIPE_SECRET_KEY', 'sk_test_refused');
  vi.stubEnv('STRIPE_API_BASE', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const said = vi.spyOn(log, 'error').mockImplementation(() => undefined);
  const checkout = { id: 'chk_1', title: 'Premium listing', amount: 4900, currency: 'usd' };
  await expect(openSession(checkout, { email: 'somebody@odd.example' })).rejects.toMatchObject({
    code: 'PAYMENTS_UNAVAILABLE',
  });
  expect(said.mock.calls).toEqual([
    [expect.any(String), expect.objectContaining({ code: 'email_invalid', param: 'customer_email', status: 400 })],
  ]);
  expect(JSON.stringify(said.mock.calls)).not.toContain('odd.example');
});
