import { expect, it } from 'vitest';
import {
  type Directory,
  dataOf,
  idsOf,
  NOT_FOUND,
  person,
  type SeenProject,
  submission,
} from '#test/support/fixtures.ts';
import { checkoutOf, ledgerOf, type StartedCheckout } from '#test/support/payments.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** The journey of a premium submission: form, payment page, moderation, catalog. */

let server: TestServer;
let directory: Directory;

withOwnServer((opened) => {
  ({ server, directory } = opened);
});

it('a premium listing is paid, approved and listed, and its buyer is mailed about each step', async () => {
  const buyer = await person(server, { name: 'Paula Payer' });
  const subjects = async (): Promise<string[]> =>
    (await server.mails()).filter(({ to }) => to.includes(buyer.email)).map(({ subject }) => subject);

  // The form is submitted twice and leads to one payment page.
  const body = submission({ plan: 'premium', name: 'Payer & Daughters', categories: [directory.category] });
  const submit = () => directory.as(buyer, 'POST', '/api/projects', body, { 'idempotency-key': 'form-1' });
  const first = await submit();
  expect(first).toMatchObject({ status: 200 });
  expect(await submit()).toMatchObject({ status: 200, body: first.body });
  const { checkoutUrl, checkout_id: checkoutId } = dataOf<StartedCheckout>(first);

  // Until it is paid there is no project.
  expect(await checkoutOf(directory, buyer, checkoutId)).toMatchObject({ status: 'open', project: null, checkoutUrl });
  expect(idsOf(await directory.get('/api/me/submissions', buyer))).toEqual([]);
  expect(await directory.get('/api/projects/payer-daughters', directory.admin)).toMatchObject(NOT_FOUND);
  expect(await ledgerOf(directory, buyer)).toEqual([]);

  // The payment page names the product; its form pays and redirects.
  const page = new URL(checkoutUrl).pathname;
  expect((await server.call('GET', page)).body).toContain('Payer &amp; Daughters');
  const paid = await server.call('POST', page, {
    rawBody: 'outcome=paid',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(paid.status).toBe(303);

  // After the provider's event the project awaits moderation and the ledger contains the payment.
  await server.until(async () => (await checkoutOf(directory, buyer, checkoutId)).status === 'fulfilled');
  const { project, amount } = await checkoutOf(directory, buyer, checkoutId);
  expect(project).toMatchObject({ slug: 'payer-daughters', plan: 'premium', status: 'pending' });
  const id = project?.id ?? '';
  expect(dataOf<SeenProject[]>(await directory.get('/api/me/submissions', buyer))).toMatchObject([
    { id, status: 'pending', plan: 'premium', queue_position: 1 },
  ]);
  expect(await ledgerOf(directory, buyer)).toMatchObject([
    { type: 'payment', kind: 'submission', checkout_id: checkoutId, project_id: id, amount, currency: 'usd' },
  ]);
  expect((await directory.read(id, buyer)).paid_at).not.toBeNull();
  expect(await directory.get(`/api/projects/${id}`)).toMatchObject(NOT_FOUND);
  await server.until(async () => (await subjects()).length === 2);
  expect(await subjects()).toEqual(
    expect.arrayContaining([
      'We have received Payer & Daughters',
      expect.stringContaining('We have received your payment of') as unknown,
    ]),
  );

  // The administrator approves it from the queue.
  const queue = await directory.get('/api/admin/projects?status=pending', directory.admin);
  expect(idsOf(queue)).toEqual([id]);
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  await server.until(async () => (await subjects()).includes('Payer & Daughters is live'));
  const seen = await directory.read('payer-daughters');
  expect(seen).toMatchObject({ id, plan: 'premium', status: 'live' });
  expect(seen).not.toHaveProperty('paid_at');
  await server.until(async () => idsOf(await directory.get('/api/projects')).includes(id));

  // One event for each step.
  const kinds = (await server.events())
    .filter(({ data }) => (data as { project_id?: string }).project_id === id)
    .map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['paymentSettled', 'projectApproved', 'projectSubmitted']);
  expect(kinds[0]).toBe('projectApproved');
});

it('a cancelled payment leaves no project and no ledger entry', async () => {
  const buyer = await person(server);
  const body = submission({ plan: 'premium', categories: [directory.category] });
  const started = await directory.as(buyer, 'POST', '/api/projects', body);
  expect(started).toMatchObject({ status: 200 });
  const { checkoutUrl, checkout_id: id } = dataOf<StartedCheckout>(started);
  const { pathname } = new URL(checkoutUrl);
  expect(await directory.as(undefined, 'POST', pathname, { outcome: 'expired' })).toMatchObject({ status: 200 });
  await server.until(async () => (await checkoutOf(directory, buyer, id)).status === 'expired');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ project: null, checkoutUrl: null, paid_at: null });
  expect(idsOf(await directory.get('/api/me/submissions', buyer))).toEqual([]);
  expect(await ledgerOf(directory, buyer)).toEqual([]);
});
