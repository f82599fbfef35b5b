import { describe, expect, it } from 'vitest';
import { rollUp } from '#domain/analytics/roll-up.ts';
import { lastWeek } from '#domain/mail/week.ts';
import { sendDigests } from '#domain/mail/weekly-digest.ts';
import { rollUpPorts } from '#ports/analytics.ts';
import { digestPorts } from '#ports/digest.ts';
import { type Directory, type Person, person } from '#test/support/fixtures.ts';
import { ranJob } from '#test/support/jobs.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** The letter about a week: to whom it goes, what it says, and that it comes once. */

const DAY_MS = 86_400_000;
const BUDGET_MS = 60_000;

let world: TestWorld;
let directory: Directory;
let owner: Person;
let reader: Person;
let silent: Person;

/** Runs the job as it runs some weeks from now: the week of this test is then the last one, or one that is long over. */
const inWeeks = (weeks: number, more: Partial<typeof digestPorts> = {}) =>
  sendDigests(
    { ...digestPorts, now: () => new Date(Date.now() + weeks * 7 * DAY_MS).toISOString(), ...more },
    BUDGET_MS,
  );

const digests = async (to: Person) =>
  (await world.mails()).filter((mail) => mail.to === to.email && mail.subject.includes('this week'));

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  owner = await person(world, { name: 'Olga' });
  reader = await person(world, { name: 'Rita' });
  silent = await person(world, { name: 'Sid' });
  for (const who of [owner, reader]) expect((await directory.get('/api/user/profile', who)).status).toBe(200);
  const off = await directory.as(silent, 'PUT', '/api/user/settings', { notifications: { weekly_digest: false } });
  expect(off.status).toBe(200);
});

describe('the weekly digest', () => {
  it('is not sent to anybody when there is nothing to tell', async () => {
    expect(await ranJob(world, 'weekly-digest')).toMatchObject({
      sent: 0,
      failed: 0,
      week: lastWeek(new Date().toISOString()).week,
    });
  });

  it('tells everybody who wants it what is new, and owners how theirs did, once', async () => {
    const mine = await directory.live(owner, { name: 'Analytical Engine' });
    await directory.as(reader, 'PUT', `/api/projects/${mine.id}/upvote`);
    const event = { type: 'project_view', path: '/projects/x', project_id: mine.id };
    await world.call('POST', '/api/analytics/track', {
      body: { events: [event, event, event, { ...event, type: 'outbound_click' }] },
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' },
    });
    await rollUp(rollUpPorts);

    const runs = await Promise.all([inWeeks(1), inWeeks(1), inWeeks(1)]);
    expect(runs.map(({ failed, unfinished }) => [failed, unfinished])).toEqual([
      [0, false],
      [0, false],
      [0, false],
    ]);
    expect(runs.reduce((sum, { sent }) => sum + sent, 0)).toBe(3);
    expect(await inWeeks(1)).toMatchObject({ sent: 0, failed: 0 });

    const [toReader, ...moreToReader] = await digests(reader);
    expect(moreToReader).toEqual([]);
    expect(toReader?.subject).toContain('1 new on');
    expect(toReader?.text).toContain('Analytical Engine');
    expect(toReader?.text).not.toContain('Yours:');
    const [toOwner] = await digests(owner);
    expect(toOwner?.text).toContain('Yours: 3 views and 1 click this week, 1 upvote in all.');
    expect(await digests(silent)).toEqual([]);
    expect(await digests(directory.admin)).toHaveLength(1);
  });

  it('of a week without anything new goes to owners only', async () => {
    expect(await inWeeks(2)).toMatchObject({ sent: 1, failed: 0 });
    const [latest] = await digests(owner);
    expect(latest?.subject).toMatch(/^Your listings on/);
    expect(latest?.text).toContain('Yours: 0 views and 0 clicks this week');
  });

  it('that was not accepted is tried again by the next run, and keeps nobody else', async () => {
    let refusals = 0;
    const refusing = {
      sendDigest: async () => {
        refusals += 1;
        throw new Error('the mail was not accepted');
      },
    };
    const told = await inWeeks(3, refusing);
    expect(told.failed).toBe(refusals);
    expect(told.failed).toBeGreaterThan(1);
    expect(await inWeeks(3)).toMatchObject({ sent: 1, failed: 0 });
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
