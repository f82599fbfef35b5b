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
import { checkoutOf, ledgerOf, type Started } from '#test/support/payments.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The submitter who pays: from the form over the payment page into the catalog. */

let world: TestWorld;
let directory: Directory;

withDirectory((opened) => {
  ({ world, directory } = opened);
});

it('pays for a premium listing, waits for its approval, and is mailed about both', async () => {
  const buyer = await person(world, { name: 'Paula Payer' });
  const subjects = async (): Promise<string[]> =>
    (await world.mails()).filter(({ to }) => to.includes(buyer.email)).map(({ subject }) => subject);

  // The form is sent, twice by a nervous finger, and leads to one payment page.
  const body = submission({ plan: 'premium', name: 'Payer & Daughters', categories: [directory.category] });
  const submit = () => directory.as(buyer, 'POST', '/api/projects', body, { 'idempotency-key': 'form-1' });
  const first = await submit();
  expect(first).toMatchObject({ status: 200 });
  expect(await submit()).toMatchObject({ status: 200, body: first.body });
  const { checkoutUrl, checkout_id: checkoutId } = dataOf<Started>(first);

  // Until it is paid there is no project, for nobody.
  expect(await checkoutOf(directory, buyer, checkoutId)).toMatchObject({ status: 'open', project: null, checkoutUrl });
  expect(idsOf(await directory.get('/api/me/submissions', buyer))).toEqual([]);
  expect(await directory.get('/api/projects/payer-daughters', directory.admin)).toMatchObject(NOT_FOUND);
  expect(await ledgerOf(directory, buyer)).toEqual([]);

  // The payment page names what is bought; its button pays and leads back.
  const page = new URL(checkoutUrl).pathname;
  expect((await world.call('GET', page)).body).toContain('Payer &amp; Daughters');
  const paid = await world.call('POST', page, {
    rawBody: 'outcome=paid',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect(paid.status).toBe(303);

  // The provider has told the service: the project waits for moderation, and the money is in the ledger.
  await world.until(async () => (await checkoutOf(directory, buyer, checkoutId)).status === 'fulfilled');
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
  await world.until(async () => (await subjects()).length === 2);
  expect(await subjects()).toEqual(
    expect.arrayContaining([
      'We have received Payer & Daughters',
      expect.stringContaining('We have received your payment of') as unknown,
    ]),
  );

  // The administrator finds it in the queue and lets it in.
  const queue = await directory.get('/api/admin/projects?status=pending', directory.admin);
  expect(idsOf(queue)).toEqual([id]);
  await directory.done('PUT', `/api/admin/projects/${id}/approve`);
  await world.until(async () => (await subjects()).includes('Payer & Daughters is live'));
  const seen = await directory.read('payer-daughters');
  expect(seen).toMatchObject({ id, plan: 'premium', status: 'live' });
  expect(seen).not.toHaveProperty('paid_at');
  await world.until(async () => idsOf(await directory.get('/api/projects')).includes(id));

  // What happened is told once each, in this order.
  const kinds = (await world.events())
    .filter(({ data }) => (data as { project_id?: string }).project_id === id)
    .map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['paymentSettled', 'projectApproved', 'projectSubmitted']);
  expect(kinds[0]).toBe('projectApproved');
});

it('changes his mind at the payment page, and nothing has happened', async () => {
  const buyer = await person(world);
  const body = submission({ plan: 'premium', categories: [directory.category] });
  const { checkoutUrl, checkout_id: id } = dataOf<Started>(await directory.as(buyer, 'POST', '/api/projects', body));
  await directory.as(undefined, 'POST', new URL(checkoutUrl).pathname, { outcome: 'expired' });
  await world.until(async () => (await checkoutOf(directory, buyer, id)).status === 'expired');
  expect(await checkoutOf(directory, buyer, id)).toMatchObject({ project: null, checkoutUrl: null, paid_at: null });
  expect(idsOf(await directory.get('/api/me/submissions', buyer))).toEqual([]);
  expect(await ledgerOf(directory, buyer)).toEqual([]);
});
