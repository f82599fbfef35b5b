import { afterEach, expect, it, vi } from 'vitest';
import type { Summary } from '#contract/summary.ts';
import { suppressAddress, unsuppressAddress } from '#data/mail-suppression.ts';
import { advanceUserCount } from '#data/users.ts';
import { markFailing } from '#data/webhooks.ts';
import { readSummary } from '#services/admin/summary.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { untilEventsDelivered } from '#test/support/events.ts';
import { dataOf, person, TIME, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { chooseOutcome } from '#test/support/payments.ts';
import { readUnits } from '#test/support/read-units.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory({ env: { LIVE_EDITS: 'review' } });

afterEach(() => vi.useRealTimers());

const summary = async (): Promise<Summary> => dataOf(await directory.adminOk('GET', '/api/admin/summary'));

/** Waits until the summary, which follows the table within a second, has these numbers. */
const untilSummary = async (expected: Partial<Summary>): Promise<void> => {
  await server.until(async () => expect(await summary()).toMatchObject(expected));
};

const minutesLater = (minutes: number): void => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 });
};

longTest('the summary counts everything that is pending, and not what was decided', async () => {
  const before = await summary();
  expect(before).toMatchObject({ pending: 0, revisions_pending: 0, reports_open: 0, promotions_waiting: 0 });
  expect(before).toMatchObject({ webhooks_failing: 0, mails_stopped: 0, oldest_pending_at: null, users: 1 });
  const [owner, reader] = [await person(server), await person(server)];
  await Promise.all([owner, reader].map((user) => directory.get('/api/user/profile', user)));
  const listing = await directory.live(owner);
  const [oldest] = [await directory.submit(owner), await directory.submit(owner)];
  await directory.ok(owner, 'PUT', `/api/projects/${listing.id}`, { name: 'A waiting name' });
  const reports = await Promise.all(
    [owner, reader].map((user) =>
      directory.ok(user, 'POST', `/api/projects/${listing.id}/report`, { reason: 'spam' }, 201),
    ),
  );
  const checkout = dataOf<{ checkout_id: string }>(
    await directory.ok(owner, 'POST', '/api/payments/checkout', {
      kind: 'promotion',
      project_id: listing.id,
      placements: ['catalog'],
      months: 1,
    }),
  );
  await chooseOutcome(directory, checkout.checkout_id, 'paid');
  const webhook = dataOf<{ id: string }>(
    await directory.adminOk('POST', '/api/admin/webhooks', { url: 'https://example.com/', kinds: ['keyCreated'] }, 201),
  );
  await markFailing(webhook.id, new Date().toISOString());
  const addresses = [unique('a'), unique('b')].map((name) => `${name}@example.com`);
  await Promise.all(addresses.map((address) => suppressAddress(address, 'bounce')));
  await untilSummary({
    pending: 2,
    revisions_pending: 1,
    reports_open: 2,
    promotions_waiting: 1,
    webhooks_failing: 1,
    mails_stopped: 2,
    live: before.live + 1,
    users: before.users + 2,
  });
  expect((await summary()).oldest_pending_at).toEqual(TIME);
  const { created_at } = await directory.read(oldest.id, directory.admin);
  expect((await summary()).oldest_pending_at).toBe(created_at);

  const [first] = reports.map((report) => dataOf<{ id: string }>(report).id);
  await directory.adminOk('PUT', `/api/admin/reports/${first}`, { status: 'dismissed' });
  await directory.adminOk('DELETE', `/api/projects/${oldest.id}`);
  const [waiting] = dataOf<{ id: string }[]>(await directory.adminOk('GET', '/api/admin/revisions'));
  await directory.adminOk('POST', `/api/admin/projects/${listing.id}/revisions/${waiting?.id}/approve`);
  const [promotion] = dataOf<{ id: string }[]>(await directory.adminOk('GET', '/api/admin/promotions?status=pending'));
  await directory.adminOk('PUT', `/api/admin/promotions/${promotion?.id}`, { action: 'approve' });
  await untilSummary({ pending: 1, revisions_pending: 0, reports_open: 1, promotions_waiting: 0 });
  // Filed again: the report is open again.
  await directory.ok(reader, 'POST', `/api/projects/${listing.id}/report`, { reason: 'spam' });
  await directory.ok(owner, 'POST', `/api/projects/${listing.id}/report`, { reason: 'spam' });
  await untilSummary({ reports_open: 2 });
  await directory.adminOk('DELETE', `/api/admin/projects/${listing.id}`);
  await untilSummary({ reports_open: 0, live: before.live });
});

it('the summary counts a suppressed address once, until its suppression ends', async () => {
  const address = `${unique('reader')}@example.com`;
  const { mails_stopped: before } = await summary();
  const stopped = async () => (await summary()).mails_stopped - before;
  await suppressAddress(address, 'bounce');
  await suppressAddress(address, 'bounce');
  expect(await stopped()).toBe(1);
  await suppressAddress(address, 'complaint');
  expect(await stopped()).toBe(1);
  await unsuppressAddress(address);
  expect(await stopped()).toBe(0);
  await suppressAddress(address, 'bounce');
  minutesLater(400 * 24 * 60);
  expect((await readSummary()).mails_stopped).toBe(0);
});

it('the summary counts users who joined before and after the job has counted, and not erased ones', async () => {
  const join = async () => {
    const user = await person(server);
    await directory.get('/api/user/profile', user);
    return user;
  };
  const erase = (id: string) => directory.adminOk('DELETE', `/api/admin/users/${id}`);
  const { users: before } = await summary();
  const [early, later] = [await join(), await join()];
  minutesLater(2);
  await runAsHandler('cron.snapshotCatalog', advanceUserCount);
  vi.useRealTimers();
  const last = await join();
  expect((await summary()).users).toBe(before + 3);
  await erase(early.id);
  await erase(last.id);
  expect((await summary()).users).toBe(before + 1);
  minutesLater(4);
  await runAsHandler('cron.snapshotCatalog', advanceUserCount);
  await runAsHandler('cron.snapshotCatalog', advanceUserCount);
  vi.useRealTimers();
  expect((await summary()).users).toBe(before + 1);
  await erase(later.id);
  expect((await summary()).users).toBe(before);
});

longTest('the summary costs the same for any number of listings, reports, edits, users and addresses', async () => {
  await readSummary();
  const cost = async () => {
    await untilEventsDelivered(server, directory);
    minutesLater(2);
    await runAsHandler('cron.snapshotCatalog', advanceUserCount);
    // Changes of the last seconds are read again, and jobs of this process may run meanwhile.
    minutesLater(4);
    const tries: number[] = [];
    for (let attempt = 0; attempt < 6; attempt += 1) tries.push(await readUnits(readSummary));
    return Math.min(...tries);
  };
  const before = await cost();
  vi.useRealTimers();
  const users = await Promise.all(Array.from({ length: 10 }, () => person(server)));
  await Promise.all(
    users.map(async (user) => {
      const { id } = await directory.live(user);
      await directory.ok(user, 'PUT', `/api/projects/${id}`, { description: 'x'.repeat(400) });
      await directory.ok(user, 'POST', `/api/projects/${id}/report`, { reason: 'y'.repeat(900) }, 201);
      await directory.submit(user);
      await suppressAddress(user.email, 'bounce');
    }),
  );
  expect(await cost()).toBeLessThanOrEqual(before);
  vi.useRealTimers();
  await untilSummary({ reports_open: 10, mails_stopped: 13 });
});
