import { SESClient, SendRawEmailCommand } from '@aws-sdk/client-ses';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import { followerKey, userKey } from '#data/keys.ts';
import { suppressAddress } from '#data/mail-suppression.ts';
import { findItem } from '#data/read.ts';
import { updateItem } from '#data/write.ts';
import type { ReceivedMail } from '#local/mail.ts';
import { mailFollowDigests } from '#services/follows/digest.ts';
import { mailsTo } from '#test/support/events.ts';
import { ban, category, dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { type JobResult, runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { withClockAhead } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const owner = await person(server);

const DAY_MS = 86_400_000;

/** The first Tuesday, in days from now: no digest of weekly follows before the Monday after. */
const TUESDAY = ((9 - new Date().getUTCDay()) % 7) + 7;
const MONDAY = TUESDAY + 6;

const runsOn = async (day: number, runs = 1): Promise<JobResult[]> =>
  await withClockAhead(day * DAY_MS, () =>
    Promise.all(Array.from({ length: runs }, () => runJob(server, 'follow-digest'))),
  );
const runOn = async (day: number): Promise<JobResult> => (await runsOn(day))[0] as JobResult;

const newCategory = async () =>
  dataOf<{ id: string; slug: string; name: string }>(
    await directory.adminOk('POST', '/api/admin/categories', category(), 201),
  );
const live = (slug: string, fields: object = {}) => directory.live(owner, { categories: [slug], ...fields });
const follow = async (who: Person, query: object, others: object = {}) => {
  const response = await directory.as(who, 'POST', '/api/me/follows', { query, frequency: 'daily', ...others });
  expect(response.status).toBe(201);
};
const digestsTo = async (who: Person): Promise<ReceivedMail[]> =>
  (await mailsTo(server, who)).filter(({ subject }) => /new listings? on/.test(subject));

/** The followers of a new category. */
const followers = async (count: number) => {
  const { slug, name, id } = await newCategory();
  const people = await Promise.all(Array.from({ length: count }, () => person(server)));
  for (const one of people) await follow(one, { category: slug });
  return { slug, name, id, people: people as [Person, ...Person[]] };
};

describe('the digest of follows', () => {
  it('has what was published since the follow was made or the last one, at most once a day, with repeated runs too', async () => {
    const { slug, name } = await newCategory();
    const user = await person(server);
    const before = await live(slug);
    await follow(user, { category: slug });
    expect(await runOn(TUESDAY - 1)).toMatchObject({ sent: 0, failed: 0, unfinished: false });
    const [first, elsewhere] = [await live(slug), await directory.live(owner)];
    const runs = await runsOn(TUESDAY, 4);
    expect(runs.reduce((sum, { sent }) => sum + Number(sent), 0)).toBe(1);
    const [mail, ...others] = await digestsTo(user);
    expect(others).toEqual([]);
    expect(mail).toMatchObject({
      subject: expect.stringMatching(/^1 new listing on /),
      text: expect.stringContaining(`/projects/${first.slug}\n`),
      headers: { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' },
    });
    expect(mail?.text).toContain(`\n\n${name}\n\n`);
    for (const { slug: other } of [before, elsewhere]) expect(mail?.text).not.toContain(`/projects/${other}\n`);

    const second = await live(slug);
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 0 });
    expect(await runOn(TUESDAY + 1)).toMatchObject({ sent: 1, failed: 0 });
    const [next] = await digestsTo(user);
    expect(next?.text).toContain(`/projects/${second.slug}\n`);
    expect(next?.text).not.toContain(`/projects/${first.slug}\n`);
    expect(await runOn(TUESDAY + 2)).toMatchObject({ sent: 0, failed: 0 });
    expect(await digestsTo(user)).toHaveLength(2);
  });

  it('has weekly follows on Mondays, in the same mail as daily ones', async () => {
    const [weekly, daily] = [await newCategory(), await newCategory()];
    const user = await person(server);
    await follow(user, { category: weekly.slug }, { frequency: 'weekly', name: 'Every week' });
    await follow(user, { category: daily.slug }, { name: 'Every day' });
    const place = `Vienna, ${unique('Austria')}`;
    await follow(user, { tag: `${place.replace(',', '\\,')},other`, sphere: '' });
    const ofTag = await directory.live(owner, { tags: [place.toUpperCase()] });
    const ofWeek = await live(weekly.slug);
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 1 });
    const [ofTuesday] = await digestsTo(user);
    for (const text of [`\n\ntag: ${place}, other\n\n`, ofTag.slug]) expect(ofTuesday?.text).toContain(text);
    const ofDay = await live(daily.slug);
    expect(await runOn(MONDAY)).toMatchObject({ sent: 1 });
    const [mail, ...others] = await digestsTo(user);
    expect(others).toEqual([ofTuesday]);
    for (const text of ['Every week', 'Every day', ofWeek.slug, ofDay.slug]) expect(mail?.text).toContain(text);
    expect(await runOn(MONDAY + 7)).toMatchObject({ sent: 0 });
  });

  longTest('lists each listing once, 20 per follow, and links to the rest', async () => {
    const { slug } = await newCategory();
    const user = await person(server);
    const tag = unique('tag');
    await follow(user, { category: slug, pricing: 'free' });
    await follow(user, { tag });
    const all = [];
    for (let n = 0; n < 21; n += 1) all.push(await live(slug, { pricing_type: 'free' }));
    // The newest, so that both sections would begin with it.
    const both = await live(slug, { tags: [tag], pricing_type: 'free' });
    all.push(both);
    await runOn(TUESDAY);
    const [mail] = await digestsTo(user);
    const listed = all.filter((project) => mail?.text.includes(`/projects/${project.slug}\n`));
    expect(mail?.text.match(new RegExp(`/projects/${both.slug}\n`, 'g'))).toHaveLength(1);
    // The first follow is the newest one, which has the listing of both.
    expect(listed).toHaveLength(21);
    expect(mail?.subject).toMatch(/^More than 21 new listings on /);
    const [, rest = ''] = /^More of these: (.*)$/m.exec(mail?.text ?? '') ?? [];
    const { pathname, search } = new URL(rest);
    expect(pathname).toBe('/projects');
    expect(await directory.get(`/api/projects${search}`)).toMatchObject({ status: 200, body: { meta: { total: 22 } } });
    // The rest is not new any more.
    expect(await runOn(TUESDAY + 1)).toMatchObject({ sent: 0 });
  });

  it('is not sent to users without verified address, with the preference off, banned, suppressed or erased', async () => {
    const { slug, people } = await followers(6);
    const [reader, optedOut, banned, suppressed, erased, unverified] = people;
    if (!(reader && optedOut && banned && suppressed && erased && unverified)) throw new Error('There are six.');
    await updateItem(userKey(unverified.id), { set: { email_verified: false } });
    await directory.ok(optedOut, 'PUT', '/api/user/settings', { notifications: { follow_digest: false } });
    await ban(banned);
    await suppressAddress(suppressed.email, 'bounce');
    await directory.ok(erased, 'DELETE', '/api/user');
    await live(slug);
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 1, failed: 0 });
    const to = (await server.mails()).filter(({ subject }) => /new listings? on/.test(subject)).map((mail) => mail.to);
    expect(to).toContain(reader.email);
    for (const one of [optedOut.email, banned.email, suppressed.email, erased.email, unverified.email]) {
      expect(to).not.toContain(one);
    }
  });

  it('ends with the address in its header', async () => {
    const { slug, people } = await followers(1);
    await live(slug);
    await runOn(TUESDAY);
    const [mail] = await digestsTo(people[0]);
    const [, address = ''] = /^<([^<>]+)>$/.exec(mail?.headers['List-Unsubscribe'] ?? '') ?? [];
    const rawBody = 'List-Unsubscribe=One-Click';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const response = await server.call('POST', new URL(address).pathname, { rawBody, headers });
    expect(response).toMatchObject({ status: 200, body: expect.stringContaining('new listings that you follow') });
    await live(slug);
    expect(await runOn(TUESDAY + 1)).toMatchObject({ sent: 0 });
  });

  longTest('rests for a follow that became invalid', async () => {
    const { slug, id, people } = await followers(1);
    await follow(people[0], { q: 'resting tea' });
    await live(slug);
    await directory.adminOk('DELETE', `/api/admin/categories/${id}`);
    const tea = await directory.live(owner, { name: 'Resting tea' });
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 1, failed: 0 });
    const [mail] = await digestsTo(people[0]);
    expect(mail?.subject).toMatch(/^1 new listing on /);
    expect(mail?.text).toContain(`/projects/${tea.slug}\n`);
  });

  longTest('that was rejected by SES is retried by the next run, and does not stop the others', async () => {
    const { slug, people } = await followers(2);
    const project = await live(slug);
    const failingSes = mockClient(SESClient);
    failingSes.on(SendRawEmailCommand).rejects(new Error('SES is unavailable.'));
    const run = await runOn(TUESDAY);
    failingSes.restore();
    expect(run).toMatchObject({ sent: 0, failed: 2 });
    // It contains what it contained at first.
    await live(slug);
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 2, failed: 0 });
    for (const one of people) {
      const [mail, ...others] = await digestsTo(one);
      expect(others).toEqual([]);
      expect(mail?.subject).toMatch(/^1 new listing on /);
      expect(mail?.text).toContain(`/projects/${project.slug}\n`);
    }
    expect(await runOn(TUESDAY + 1)).toMatchObject({ sent: 2, failed: 0 });
  });

  longTest('of a run that died after sending is not sent again, and loses nothing', async () => {
    const { slug, people } = await followers(1);
    await live(slug);
    await runOn(TUESDAY);
    const key = followerKey(people[0].id);
    const day = new Date(Date.now() + TUESDAY * DAY_MS).toISOString().slice(0, 10);
    const { daily_through: through } = (await findItem(key)) as { daily_through: string };
    const begun = { occasion: day, day, through, weekly: false };
    await updateItem(key, { set: { begun, mailed_on: null, daily_through: null } });
    const later = await live(slug);
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 0, failed: 0 });
    expect(await runOn(TUESDAY + 1)).toMatchObject({ sent: 1 });
    const [mail] = await digestsTo(people[0]);
    expect(mail?.subject).toMatch(/^1 new listing on /);
    expect(mail?.text).toContain(`/projects/${later.slug}\n`);
    expect(await digestsTo(people[0])).toHaveLength(2);
  });

  longTest('does not miss a scheduled listing that becomes public late', async () => {
    const { slug, people } = await followers(1);
    const publish_at = new Date(Date.now() + 1500).toISOString();
    const scheduled = await directory.submit(owner, { categories: [slug], publish_at });
    await directory.adminOk('PUT', `/api/admin/projects/${scheduled.id}/approve`);
    await server.until(async () => new Date().toISOString() > publish_at);
    const other = await live(slug);
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 0 });
    expect(await runJob(server, 'publish-scheduled')).toMatchObject({ processed: 1 });
    expect(await runOn(TUESDAY)).toMatchObject({ sent: 1 });
    const [mail] = await digestsTo(people[0]);
    for (const one of [scheduled, other]) expect(mail?.text).toContain(`/projects/${one.slug}\n`);
  });

  longTest('continues where a run ended whose time was over', async () => {
    const { slug, people } = await followers(9);
    await live(slug);
    let sent = 0;
    let budgetMs = 10;
    const result = await withClockAhead(TUESDAY * DAY_MS, async () => {
      for (;;) {
        const run = await mailFollowDigests(budgetMs);
        sent += run.sent;
        if (!run.unfinished) return run;
        budgetMs += 10;
      }
    });
    expect(result).toMatchObject({ failed: 0 });
    expect(sent).toBe(people.length);
    for (const one of people) expect(await digestsTo(one)).toHaveLength(1);
  });
});
