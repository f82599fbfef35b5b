import { expect, it } from 'vitest';
import type { Promotion } from '#contract/promotions.ts';
import { conflict, type Directory, dataOf, type Person, person, type Submitted } from '#test/support/fixtures.ts';
import { checkoutOf, decide, type Started } from '#test/support/payments.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Places and prices as somebody else has configured them. */

let world: TestWorld;
let directory: Directory;
let buyer: Person;
let project: Submitted;

withDirectory(
  async (opened) => {
    ({ world, directory } = opened);
    buyer = await person(world);
    project = await directory.live(buyer);
  },
  {
    env: {
      PROMOTION_SLOTS_BANNER: 'unlimited',
      PROMOTION_SLOTS_CATALOG: '3',
      PROMOTION_SLOTS_DETAIL: '0',
      PROMOTION_PRICE_BANNER: '101',
      PROMOTION_PRICE_CATALOG: '250',
      CURRENCY: 'EUR',
    },
  },
);

const grant = (placements: readonly string[]) =>
  directory.as(directory.admin, 'POST', '/api/admin/promotions', { project_id: project.id, placements, days: 1 });
const revoke = (id: string) =>
  directory.as(directory.admin, 'PUT', `/api/admin/promotions/${id}`, { action: 'revoke' });
const buy = (placements: readonly string[], months = 1) =>
  directory.as(buyer, 'POST', '/api/payments/checkout', {
    kind: 'promotion',
    project_id: project.id,
    placements,
    months,
  });

it('gives out exactly as many places as there are to all who come at the same moment', async () => {
  const answers = await Promise.all(Array.from({ length: 14 }, () => grant(['banner', 'catalog'])));
  const won = answers.filter(({ status }) => status === 201).map((answer) => dataOf<Promotion>(answer).id);
  expect(won).toHaveLength(3);
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    expect(answer).toMatchObject(conflict('SOLD_OUT'));
  }
  expect(await buy(['catalog'])).toMatchObject(conflict('SOLD_OUT'));
  expect(await revoke(String(won[0]))).toMatchObject({ status: 200 });
  const again = await Promise.all(Array.from({ length: 5 }, () => grant(['catalog'])));
  expect(again.filter(({ status }) => status === 201)).toHaveLength(1);
  const { body } = await directory.get('/api/promotions?placement=catalog');
  expect(body).toMatchObject({ meta: { total: 3 } });
  for (const { id } of dataOf<Promotion[]>({ body })) await revoke(id);
});

it('lets as many pay as there are places, and pays the others back', async () => {
  const started = await Promise.all(
    Array.from({ length: 6 }, async () => dataOf<Started>(await buy(['catalog'])).checkout_id),
  );
  await Promise.all(started.map((id) => decide(directory, id, 'paid')));
  const states = async () =>
    (await Promise.all(started.map((id) => checkoutOf(directory, buyer, id)))).map((one) => one.status);
  await world.until(async () => (await states()).every((one) => one === 'fulfilled' || one === 'refunded'), 15_000);
  expect((await states()).filter((one) => one === 'fulfilled')).toHaveLength(3);
  const { body } = await directory.get('/api/admin/promotions?status=pending', directory.admin);
  expect(body).toMatchObject({ meta: { total: 3 } });
  for (const { id } of dataOf<Promotion[]>({ body })) await revoke(id);
});

it('has nothing where there is no place at all, and no end where there is any number', async () => {
  expect(await grant(['detail'])).toMatchObject(conflict('SOLD_OUT'));
  expect(await buy(['banner', 'detail'])).toMatchObject(conflict('SOLD_OUT'));
  const answers = await Promise.all(Array.from({ length: 8 }, () => grant(['banner'])));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(201));
});

it('asks the configured price in the configured currency', async () => {
  const answer = await buy(['banner', 'catalog'], 3);
  const checkout = await checkoutOf(directory, buyer, dataOf<Started>(answer).checkout_id);
  expect(checkout).toMatchObject({ amount: 1053, currency: 'eur' });
});
