import { SESClient, SendEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it, vi } from 'vitest';
import { now } from '#platform/clock.ts';
import { rollUp } from '#services/analytics/roll-up.ts';
import { lastWeek, mailWeeklyDigests } from '#services/mail/weekly-digest.ts';
import { type Directory, type Person, person } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

vi.mock(import('#platform/clock.ts'), { spy: true });

const DAY_MS = 86_400_000;
const BUDGET_MS = 60_000;

let server: TestServer;
let directory: Directory;
let owner: Person;
let reader: Person;
let optedOut: Person;

/** Runs the job several times concurrently, some weeks from now. In 1 week, the current week is the last one. */
const runsInWeeks = async (weeks: number, runs: number) => {
  vi.mocked(now).mockImplementation(() => new Date(Date.now() + weeks * 7 * DAY_MS).toISOString());
  try {
    return await Promise.all(Array.from({ length: runs }, () => mailWeeklyDigests(BUDGET_MS)));
  } finally {
    vi.mocked(now).mockRestore();
  }
};

const runInWeeks = async (weeks: number) => (await runsInWeeks(weeks, 1))[0];

const digests = async (to: Person) =>
  (await server.mails()).filter((mail) => mail.to === to.email && mail.subject.includes('this week'));

withOwnServer(async (opened) => {
  ({ server, directory } = opened);
  owner = await person(server, { name: 'Olga' });
  reader = await person(server, { name: 'Rita' });
  optedOut = await person(server, { name: 'Sid' });
  for (const who of [owner, reader]) expect((await directory.get('/api/user/profile', who)).status).toBe(200);
  const off = await directory.as(optedOut, 'PUT', '/api/user/settings', { notifications: { weekly_digest: false } });
  expect(off.status).toBe(200);
});

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
    expect((await directory.as(reader, 'PUT', `/api/projects/${mine.id}/upvote`)).status).toBe(200);
    const event = { type: 'project_view', path: '/projects/x', project_id: mine.id };
    // Three visitors: views count once per visitor and hour.
    for (const version of [131, 132, 133]) {
      const tracked = await server.call('POST', '/api/analytics/track', {
        body: { events: version === 133 ? [event, event, { ...event, type: 'outbound_click' }] : [event] },
        headers: {
          'user-agent': `Mozilla/5.0 (X11; Linux x86_64; rv:${version}.0) Gecko/20100101 Firefox/${version}.0`,
        },
      });
      expect(tracked.status).toBe(202);
    }
    await rollUp(BUDGET_MS);

    const runs = await runsInWeeks(1, 3);
    expect(runs.map(({ failed, unfinished }) => [failed, unfinished])).toEqual([
      [0, false],
      [0, false],
      [0, false],
    ]);
    expect(runs.reduce((sum, { sent }) => sum + sent, 0)).toBe(3);
    expect(await runInWeeks(1)).toMatchObject({ sent: 0, failed: 0 });

    const [toReader, ...moreToReader] = await digests(reader);
    expect(moreToReader).toEqual([]);
    expect(toReader?.subject).toContain('1 new on');
    expect(toReader?.text).toContain('Analytical Engine');
    expect(toReader?.text).not.toContain('Yours:');
    const [toOwner] = await digests(owner);
    expect(toOwner?.text).toContain('Yours: 3 views and 1 click this week, 1 upvote in all.');
    expect(await digests(optedOut)).toEqual([]);
    expect(await digests(directory.admin)).toHaveLength(1);
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
    failingSes.on(SendEmailCommand).rejects(new Error('SES is unavailable.'));
    const run = await runInWeeks(3);
    // Other emails may be retried meanwhile.
    const rejected = failingSes
      .commandCalls(SendEmailCommand)
      .map(({ args }) => args[0].input)
      .filter(({ Message }) => Message?.Subject?.Data?.includes('this week'));
    failingSes.restore();
    expect(rejected.flatMap(({ Destination }) => Destination?.ToAddresses).sort()).toEqual(
      [owner.email, reader.email].sort(),
    );
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
