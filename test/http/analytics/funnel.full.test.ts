import { expect, it } from 'vitest';
import { projectKey } from '#data/keys.ts';
import { countStep, type StepEvent } from '#services/analytics/track.ts';
import { projectReport, rollUpAll, siteReport, trackAccepted } from '#test/support/analytics.ts';
import { NOT_FOUND, person } from '#test/support/fixtures.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { interceptTable, textOfKey } from '#test/support/table-calls.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const owner = await person(server);

const funnel = async () => (await siteReport(directory)).funnel;

it('the funnel counts visits and started submissions from tracking, and the later steps from events', async () => {
  const zeroes = { visitors: 0, submission_started: 0, submitted: 0, paid: 0, approved: 0, conversion: 0 };
  expect(await funnel()).toEqual(zeroes);

  for (const address of ['198.51.100.7', '198.51.100.8', '198.51.100.9']) {
    await trackAccepted(server, { type: 'pageview', path: '/' }, { address });
  }
  await trackAccepted(server, { type: 'submission_started', path: '/submit' }, { address: '198.51.100.7' });
  await rollUpAll();
  expect(await funnel()).toMatchObject({ visitors: 3, submission_started: 1, approved: 0, conversion: 0 });

  const free = await directory.submit(owner);
  const { checkout_id } = await startPremium(directory, owner);
  await chooseOutcome(directory, checkout_id, 'paid');
  await server.until(async () => (await funnel()).paid === 1);
  await directory.adminOk('PUT', `/api/admin/projects/${free.id}/approve`);
  await server.until(async () => (await funnel()).approved === 1 && (await funnel()).submitted === 2);
  expect(await funnel()).toEqual({
    visitors: 3,
    submission_started: 1,
    submitted: 2,
    paid: 1,
    approved: 1,
    conversion: 0.3333,
  });

  expect((await siteReport(directory)).traffic.at(-1)).toMatchObject({ visitors: 3, submissions: 2 });

  // The report of a project counts its own steps.
  const own = { submitted: 1, paid: 0, approved: 1, visitors: 0, conversion: 0 };
  const report = await projectReport(directory, free.id, owner);
  expect(report.funnel).toMatchObject(own);
  expect(report.traffic.at(-1)).toMatchObject({ submissions: 1 });
  const { data: mine } = (await directory.get('/api/me/submissions', owner)).body as {
    data: { id: string; plan: string }[];
  };
  const premium = mine.find(({ plan }) => plan === 'premium')?.id ?? '';
  expect((await projectReport(directory, premium, owner)).funnel).toMatchObject({ submitted: 1, paid: 1, approved: 0 });
});

it('the funnel counts an event once when it is delivered repeatedly and concurrently', async () => {
  const before = await funnel();
  const events = (await server.events()).filter(({ kind }) =>
    /^(?:projectSubmitted|projectApproved|paymentSettled)$/.test(kind),
  );
  expect(events).toHaveLength(4);
  await Promise.all([...events, ...events].map((event) => countStep(event as unknown as StepEvent)));
  expect(await funnel()).toEqual(before);
});

it('the funnel does not count the payment of a promotion', async () => {
  const before = await funnel();
  const paid = (await server.events()).find(({ kind }) => kind === 'paymentSettled');
  const event = {
    ...paid,
    id: 'evt_01JD0000000000000000000000',
    data: { ...(paid?.data as object), purpose: 'promotion' },
  };
  await countStep(event as unknown as StepEvent);
  expect(await funnel()).toEqual(before);
});

it('the funnel counts an event of a purged project in the report of the site', async () => {
  const before = await funnel();
  const submitted = (await server.events()).find(({ kind }) => kind === 'projectSubmitted');
  const purged = { ...(submitted?.data as object), project_id: 'prj_01JD0000000000000000000000' };
  const event = { ...submitted, id: 'evt_01JD0000000000000000000001', data: purged };
  await countStep(event as unknown as StepEvent);
  expect(await funnel()).toEqual({ ...before, submitted: before.submitted + 1 });
});

it('the funnel counts an approval by a general edit', async () => {
  const { id } = await directory.submit(owner);
  const before = await funnel();
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'live', name: 'Approved by edit' });
  await server.until(async () => (await funnel()).approved === before.approved + 1);
});

it('the funnel leaves nothing of a project that is purged between its read and the count', async () => {
  const { id } = await directory.submit(owner);
  const items = async () => (await scanTable(server)).filter(({ pk }) => pk === projectKey(id).pk);
  const counted = async () => (await items()).some(({ type }) => type === 'funnel');
  await server.until(async () => (await funnel()).submitted > 0 && (await counted()));
  const submitted = (await server.events()).find(({ data }) => (data as { project_id?: string }).project_id === id);
  const event = { ...submitted, id: 'evt_01JD0000000000000000000002' } as unknown as StepEvent;
  const before = await funnel();
  let isRead = false;
  interceptTable(async ({ read }, send) => {
    const response = await send();
    if (isRead || !read.includes(textOfKey(projectKey(id)))) return response;
    isRead = true;
    await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    await server.until(async () => !(await counted()));
    return response;
  });
  await expect(countStep(event)).rejects.toThrow(`The project ${id} no longer exists.`);
  // The event is delivered again, and counted for the site alone.
  await countStep(event);
  expect(await funnel()).toEqual({ ...before, submitted: before.submitted + 1 });
  // The tombstone of the project and the mark in place of its counters.
  expect((await items()).map(({ type }) => type)).toEqual(['projectRemoved', 'projectRemoved']);
  expect(await directory.get(`/api/projects/${id}`, owner)).toMatchObject(NOT_FOUND);
});
