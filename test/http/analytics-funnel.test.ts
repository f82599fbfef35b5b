import { expect, it } from 'vitest';
import { countStep, type StepEvent } from '#domain/analytics/funnel.ts';
import { stepPorts } from '#ports/analytics.ts';
import { projectReport, rolledUp, siteReport, tracked } from '#test/support/analytics.ts';
import { type Directory, dataOf, type Person, person, submission } from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** From the visit to the approval: visits and starts as they are tracked, the later steps as they happen. */

let world: TestWorld;
let directory: Directory;
let owner: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world);
});

const funnel = async () => (await siteReport(directory)).funnel;

it('counts every step, each once', async () => {
  expect(await funnel()).toEqual({
    visitors: 0,
    submission_started: 0,
    submitted: 0,
    paid: 0,
    approved: 0,
    conversion: 0,
  });

  for (const address of ['198.51.100.7', '198.51.100.8', '198.51.100.9']) {
    await tracked(world, { type: 'pageview', path: '/' }, { address });
  }
  await tracked(world, { type: 'submission_started', path: '/submit' }, { address: '198.51.100.7' });
  await rolledUp();
  expect(await funnel()).toMatchObject({ visitors: 3, submission_started: 1, approved: 0, conversion: 0 });

  const free = await directory.submit(owner);
  const bought = await directory.as(
    owner,
    'POST',
    '/api/projects',
    submission({ plan: 'premium', categories: [directory.category] }),
  );
  const { checkout_id } = dataOf<{ checkout_id: string }>(bought);
  await world.call('POST', `/_local/checkout/${checkout_id}`, { body: { outcome: 'paid' } });
  await world.until(async () => (await funnel()).paid === 1);
  await directory.done('PUT', `/api/admin/projects/${free.id}/approve`);
  await world.until(async () => (await funnel()).approved === 1 && (await funnel()).submitted === 2);
  expect(await funnel()).toEqual({
    visitors: 3,
    submission_started: 1,
    submitted: 2,
    paid: 1,
    approved: 1,
    conversion: 0.3333,
  });

  // A project has its own.
  const own = { submitted: 1, paid: 0, approved: 1, visitors: 0, conversion: 0 };
  expect((await projectReport(directory, free.id, owner)).funnel).toMatchObject(own);
  const { data: mine } = (await directory.get('/api/me/submissions', owner)).body as {
    data: { id: string; plan: string }[];
  };
  const premium = mine.find(({ plan }) => plan === 'premium')?.id ?? '';
  expect((await projectReport(directory, premium, owner)).funnel).toMatchObject({ submitted: 1, paid: 1, approved: 0 });
});

it('counts an event that comes again once, also when it comes twice at the same time', async () => {
  const before = await funnel();
  const events = (await world.events()).filter(({ kind }) =>
    /^(?:projectSubmitted|projectApproved|paymentSettled)$/.test(kind),
  );
  expect(events).toHaveLength(4);
  await Promise.all([...events, ...events].map((event) => countStep(stepPorts, event as unknown as StepEvent)));
  expect(await funnel()).toEqual(before);
});

it('counts no promotion as a payment of a submission', async () => {
  const before = await funnel();
  const paid = (await world.events()).find(({ kind }) => kind === 'paymentSettled');
  const event = {
    ...paid,
    id: 'evt_01JD0000000000000000000000',
    data: { ...(paid?.data as object), purpose: 'promotion' },
  };
  await countStep(stepPorts, event as unknown as StepEvent);
  expect(await funnel()).toEqual(before);
});

it('counts what happened to a project that is gone for the site alone', async () => {
  const before = await funnel();
  const submitted = (await world.events()).find(({ kind }) => kind === 'projectSubmitted');
  const gone = { ...(submitted?.data as object), project_id: 'prj_01JD0000000000000000000000' };
  const event = { ...submitted, id: 'evt_01JD0000000000000000000001', data: gone };
  await countStep(stepPorts, event as unknown as StepEvent);
  expect(await funnel()).toEqual({ ...before, submitted: before.submitted + 1 });
});
