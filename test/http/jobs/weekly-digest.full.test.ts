import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { lastWeek } from '#services/mail/weekly-digest.ts';
import { agents, trackAccepted } from '#test/support/analytics.ts';
import { type Person, person } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { withClockAhead } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const DAY_MS = 86_400_000;

/** Runs the job several times concurrently, some weeks from now. In 1 week, the current week is the last one. */
const runsInWeeks = async (weeks: number, runs: number) =>
  await withClockAhead(weeks * 7 * DAY_MS, () =>
    Promise.all(Array.from({ length: runs }, () => runJob(server, 'weekly-digest'))),
  );

const runInWeeks = async (weeks: number) => (await runsInWeeks(weeks, 1))[0];

const digests = async (to: Person) =>
  (await server.mails()).filter((mail) => mail.to === to.email && mail.subject.includes('this week'));

const { server, directory } = await ownDirectory();
const owner = await person(server, { name: 'Olga' });
const reader = await person(server, { name: 'Rita' });
const optedOut = await person(server, { name: 'Sid' });
for (const who of [owner, reader]) expect((await directory.get('/api/user/profile', who)).status).toBe(200);
await directory.ok(optedOut, 'PUT', '/api/user/settings', { notifications: { weekly_digest: false } });

describe('the weekly digest', () => {
  it('is not sent while there are no listings', async () => {
    expect(await runJob(server, 'weekly-digest')).toMatchObject({
      sent: 0,
      failed: 0,
      week: lastWeek(new Date().toISOString()).week,
    });
  });

  it('is sent once to each subscribed user: new listings, and to owners the statistics of theirs', async () => {
    const mine = await directory.live(owner, { name: 'Analytical Engine' });
    await directory.ok(reader, 'PUT', `/api/projects/${mine.id}/upvote`);
    const event = { type: 'project_view', path: '/projects/x', project_id: mine.id };
    // Three visitors: views count once per visitor and hour.
    for (const agent of [agents.chrome, agents.firefox]) await trackAccepted(server, event, { agent });
    const events = [event, event, { ...event, type: 'outbound_click' }];
    await trackAccepted(server, { events }, { agent: agents.iphone });
    await runJob(server, 'roll-up-analytics');

    const runs = await runsInWeeks(1, 3);
    for (const run of runs) expect(run).toMatchObject({ failed: 0, unfinished: false });
    expect(runs.reduce((sum, { sent }) => sum + Number(sent), 0)).toBe(3);
    expect(await runInWeeks(1)).toMatchObject({ sent: 0, failed: 0 });

    const [toReader, ...moreToReader] = await digests(reader);
    expect(moreToReader).toEqual([]);
    expect(toReader?.subject).toContain('1 new on');
    expect(toReader?.text).toContain('Analytical Engine');
    expect(toReader?.headers).toMatchObject({ 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' });
    expect(toReader?.text).not.toContain('Yours:');
    const [toOwner] = await digests(owner);
    expect(toOwner?.text).toContain('Yours: 3 views and 1 click this week, 1 upvote in all.');
    expect(await digests(optedOut)).toEqual([]);
    expect(await digests(directory.admin)).toHaveLength(1);
  });

  longTest('reaches each of more than a hundred users once, in a run that notes how far it is', async () => {
    const many = await Promise.all(Array.from({ length: 101 }, () => person(server)));
    await Promise.all(many.map((one) => directory.ok(one, 'GET', '/api/user/profile')));
    const before = (await server.mails()).length;
    expect(await runInWeeks(1)).toMatchObject({ sent: 101, failed: 0 });
    const sent = (await server.mails()).slice(0, -before || undefined);
    for (const { email } of many) expect(sent.filter(({ to }) => to === email)).toHaveLength(1);
    for (const who of many) await directory.ok(who, 'DELETE', '/api/user');
  });

  it('of a week without new listings is sent to owners only', async () => {
    expect(await runInWeeks(2)).toMatchObject({ sent: 1, failed: 0 });
    const [latest] = await digests(owner);
    expect(latest?.subject).toMatch(/^Your listings on/);
    expect(latest?.text).toContain('Yours: 0 views and 0 clicks this week');
  });

  it('that was rejected by SES is retried by the next run, and does not stop the others', async () => {
    await directory.live(reader, { name: 'Difference Engine' });
    const failingSes = mockClient(SESClient);
    failingSes.on(SendRawEmailCommand).rejects(new Error('SES is unavailable.'));
    const run = await runInWeeks(3);
    // Other emails may be retried meanwhile.
    const rejected = failingSes
      .commandCalls(SendRawEmailCommand)
      .map(({ args }) => args[0].input)
      .filter(({ RawMessage }) => /^Subject: .*this week/m.test(Buffer.from(RawMessage?.Data ?? '').toString()));
    failingSes.restore();
    expect(rejected.flatMap(({ Destinations }) => Destinations).sort()).toEqual([owner.email, reader.email].sort());
    expect(run).toMatchObject({ sent: 0, failed: 2 });
    expect(await runInWeeks(3)).toMatchObject({ sent: 2, failed: 0 });
  });
});

it.each([
  ['2026-11-21T10:00:00.000Z', '2026-W46', '2026-11-09'],
  ['2026-11-23T00:00:00.000Z', '2026-W47', '2026-11-16'],
  ['2026-11-22T23:59:59.999Z', '2026-W46', '2026-11-09'],
  ['2027-01-04T07:00:00.000Z', '2026-W53', '2026-12-28'],
  ['2027-01-11T07:00:00.000Z', '2027-W01', '2027-01-04'],
  ['2025-01-06T07:00:00.000Z', '2025-W01', '2024-12-30'],
])('the last week at %s is %s', (at, week, monday) => {
  expect(lastWeek(at)).toEqual({ week, monday });
});
