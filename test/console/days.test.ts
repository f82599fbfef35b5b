import type { Page } from 'playwright-core';
import { expect, it, vi } from 'vitest';
import type { Promotion } from '#contract/promotions.ts';
import type { UserDossier } from '#contract/users.ts';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { isDay, momentOf, utcDayOf } from '../../console/days.ts';
import { formatDay } from '../../console/format.ts';
import { describeInBrowser, eventually } from './browser.ts';

const DAY_MS = 86_400_000;

/** With changes of the clock at midnight, of half an hour and none, and both ends of the calendar. */
const ZONES = [
  'UTC',
  'America/Los_Angeles',
  'Africa/Cairo',
  'America/Havana',
  'America/Santiago',
  'Asia/Beirut',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Kiritimati',
  'Pacific/Pago_Pago',
];

it.each(ZONES)('a day in %s is from its first moment to its last', (timeZone) => {
  vi.stubEnv('TZ', timeZone);
  const days = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' });
  const dayThere = (time: string, later: number) => days.format(Date.parse(time) + later);
  for (let time = Date.UTC(2026, 0, 1); time < Date.UTC(2027, 0, 1); time += DAY_MS) {
    const [before, day, after] = [utcDayOf(time - DAY_MS), utcDayOf(time), utcDayOf(time + DAY_MS)];
    const [from, to] = [momentOf('from', day), momentOf('to', day)];
    expect([-1, 0].map((later) => dayThere(from, later))).toEqual([before, day]);
    expect([0, 1].map((later) => dayThere(to, later))).toEqual([day, after]);
  }
});

it('what is no day goes to the service as it is', () => {
  for (const text of ['', 'yesterday', '2026-02-30', '2026-2-3', '20260203', '2026-02-03T10:00:00Z', '+012026-02-03'])
    expect([isDay(text), formatDay(text), momentOf('from', text), momentOf('to', text)]).toEqual([
      false,
      text,
      text,
      text,
    ]);
  vi.stubEnv('TZ', 'UTC');
  expect(momentOf('to', ' 9999-12-31 ')).toBe('9999-12-31T23:59:59.999Z');
});

/** As the console shows a UTC day. */
const shown = (dayOrTime: string): string =>
  new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(dayOrTime));

/** A time zone in which a time is on another day than in UTC. */
const zoneOfOtherDay = (time: number) =>
  new Date(time).getUTCHours() < 11 ? 'Pacific/Pago_Pago' : 'Pacific/Kiritimati';

describeInBrowser('days in the console', (context) => {
  longTest('events are filtered by the days of the reader', async () => {
    const { id } = await context.directory.live(context.directory.admin);
    const log = await context.directory.adminOk('GET', `/api/admin/events?subject=project:${id}&kind=projectApproved`);
    const time = Date.parse(dataOf<{ occurred_at: string }[]>(log)[0]?.occurred_at ?? '');
    const timeZone = zoneOfOtherDay(time);
    const day = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(time);
    expect(day).not.toBe(utcDayOf(time));
    const [before, after] = [-DAY_MS, DAY_MS].map((later) => utcDayOf(Date.parse(day) + later));

    for (const tab of ['', '&tab=audit']) {
      const page = await context.open('administrator', `/events?subject=project:${id}${tab}`, timeZone);
      const rows = page.getByRole('row').filter({ hasText: /Project approved|Approve listing/ });
      const filter = async (name: 'From' | 'To', value: string) =>
        await page.getByLabel(name, { exact: true }).fill(value);
      await rows.first().waitFor();
      await filter('From', day);
      await filter('To', day);
      await page.waitForURL(/to=/);
      await page.reload();
      await rows.first().waitFor();
      expect(await page.getByLabel('From', { exact: true }).inputValue()).toBe(day);
      for (const [name, value] of [
        ['From', after],
        ['To', before],
      ] as const) {
        await filter('From', '');
        await filter('To', '');
        await rows.first().waitFor();
        await filter(name, value ?? '');
        await page.getByText('matches these filters').waitFor();
      }
    }

    // The clock goes back in the night.
    const page = await context.open('administrator', '/jobs', 'America/Los_Angeles');
    await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    const asked = page.waitForRequest(/admin\/events\?.*from=/);
    await page.goto(new URL('/console/events?from=2026-11-01&to=2026-11-01', page.url()).href);
    const query = new URL((await asked).url()).searchParams;
    expect([query.get('from'), query.get('to')]).toEqual(['2026-11-01T07:00:00.000Z', '2026-11-02T07:59:59.999Z']);
    await page.goto(new URL('/console/events?from=yesterday', page.url()).href);
    await page.getByText('must be an ISO 8601 time').waitFor();
  });

  /** Days that are the same for every reader, on a page of a reader for whom UTC days begin on the day before. */
  const shows = async (page: Page, path: string, text: string | RegExp) => {
    await page.goto(new URL(`/console${path}`, page.url()).href);
    await page.getByText(text).first().waitFor();
  };

  longTest('days of analytics, keys, promotions, payments and fields are the same in every time zone', async () => {
    const { directory, server } = context;
    const owner = await person(server);
    const page = await context.open('administrator', '/analytics?from=2026-03-01&to=2026-03-03', 'America/Los_Angeles');

    await page.getByText('Show as table').first().click();
    await page.getByRole('columnheader', { name: 'Date (UTC)' }).waitFor();
    const dates = page.getByRole('table', { name: 'Visitors and page views' }).locator('tbody td:first-child');
    expect(await dates.allInnerTexts()).toEqual(['Mar 1, 2026', 'Mar 2, 2026', 'Mar 3, 2026']);
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe('2026-03-01');

    const today = utcDayOf(Date.now());
    await page.goto(new URL('/console', page.url()).href);
    const last = page.locator('.bar-chart').first().locator('p').last().locator('span').last();
    await eventually(async () => await last.textContent()).toMatch(/UTC/);
    expect([today, utcDayOf(Date.now())].map((day) => `${shown(day)} (UTC)`)).toContain(await last.textContent());

    const key = await createKey(server, directory.admin, ['analytics:read']);
    await server.call('GET', '/api/admin/analytics', { token: key.key });
    const keys = dataOf<{ id: string; last_used_on: string | null }[]>(
      await directory.adminOk('GET', '/api/admin/keys'),
    );
    const used = keys.find(({ id }) => id === key.id)?.last_used_on ?? '';
    await shows(page, '/settings?tab=keys', 'Last used (UTC)');
    await page.getByRole('row').filter({ hasText: key.name }).getByText(shown(used), { exact: true }).waitFor();

    const { id } = await directory.live(owner, { name: unique('Promoted') });
    const ends_at = new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS + 30 * DAY_MS + 3_600_000).toISOString();
    const grant = { project_id: id, placements: ['catalog'], ends_at, cta_text: 'Go' };
    const promotion = dataOf<Promotion>(await directory.adminOk('POST', '/api/admin/promotions', grant, 201));
    await shows(page, `/promotions?open=${promotion.id}`, 'Ends (UTC)');
    await page
      .getByRole('cell', { name: shown(ends_at), exact: true })
      .first()
      .waitFor();
    const startsAt = promotion.starts_at ?? '';
    await page
      .getByTitle(`Active, ${shown(startsAt)} to ${shown(ends_at)} (UTC)`)
      .first()
      .waitFor();
    const elsewhere = await context.open('administrator', '/jobs', zoneOfOtherDay(Date.parse(startsAt)));
    await elsewhere.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
    await shows(elsewhere, `/listings?open=${id}&tab=promotions`, 'Dates (UTC)');
    await elsewhere.getByText(`${shown(startsAt)} – ${shown(ends_at)}`).waitFor();

    const { checkout_id } = await startPremium(directory, owner, { name: unique('Paid listing') });
    await chooseOutcome(directory, checkout_id, 'paid');
    const payments = dataOf<{ id: string; title: string; paid_at: string }[]>(
      await directory.adminOk('GET', '/api/admin/payments'),
    );
    const paid = payments.find((payment) => payment.id === checkout_id);
    await shows(elsewhere, '/payments', 'Paid (UTC)');
    const row = elsewhere.getByRole('row').filter({ hasText: paid?.title ?? '' });
    await row.getByText(shown(paid?.paid_at ?? ''), { exact: true }).waitFor();
    const month = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric', timeZone: 'UTC' });
    await shows(page, '/payments', 'Month (UTC)');
    await page
      .getByRole('cell', { name: month.format(Date.parse(paid?.paid_at ?? '')) })
      .first()
      .waitFor();

    const field = `opened_${unique('x').toLowerCase().replaceAll(/\W/g, '')}`;
    await directory.adminOk(
      'POST',
      '/api/admin/fields',
      { key: field, label: field, type: 'date', filterable: true },
      201,
    );
    const fields = { [field]: '2026-03-01' };
    await eventually(async () => {
      const { status } = await directory.asAdmin('PUT', `/api/admin/projects/${id}`, { fields });
      return status;
    }).toBe(200);
    await shows(page, `/listings?filter[${field}]=2026-03-01..2026-03-02`, 'Mar 1, 2026 – Mar 2, 2026');
    for (const text of ['2026-13-45', '2026-02-30']) await shows(page, `/listings?filter[${field}]=${text}`, text);
  });

  longTest(
    'an address with an impossible day, and a key or a ban until one, lose no page and change nothing',
    async () => {
      const page = await context.open('administrator', '/jobs', 'America/Los_Angeles');
      await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
      for (const from of ['garbage 1', '275760-09-10', '%2B275760-09-13', '2026-3-1']) {
        await page.goto(new URL(`/console/promotions?from=${from}`, page.url()).href);
        const first = page.locator('.slot-weeks span').first();
        const expected = [-7, -8].map((days) =>
          new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(
            Date.now() + days * DAY_MS,
          ),
        );
        await first.waitFor();
        expect(expected).toContain(await first.textContent());
      }

      // The second of the two hours that are written alike.
      const ban_expires_at = '2035-11-04T09:30:45.000Z';
      const user = await person(context.server);
      // A user is stored at the first request.
      await context.directory.ok(user, 'GET', '/api/user/profile');
      const { id } = user;
      await context.directory.adminOk('PUT', `/api/admin/users/${id}`, {
        is_banned: true,
        ban_reason: 'Spam',
        ban_expires_at,
      });
      const ban = async () => dataOf<UserDossier>(await context.directory.adminOk('GET', `/api/admin/users/${id}`));
      await page.goto(new URL(`/console/users?open=${id}`, page.url()).href);
      await page.getByLabel('Ban reason').fill('Much spam');
      await page.getByRole('button', { name: 'Save the ban' }).click();
      await eventually(async () => (await ban()).ban_reason).toBe('Much spam');
      expect((await ban()).ban_expires_at).toBe(ban_expires_at);
      await page.getByLabel('Ban expires').fill('12026-01-01T10:00');
      await page.getByRole('button', { name: 'Save the ban' }).click();
      await page.getByText('must be an ISO 8601 time').waitFor();

      await page.goto(new URL('/console/settings?tab=keys', page.url()).href);
      await page.getByRole('button', { name: 'Create key' }).click();
      const dialog = page.getByRole('dialog');
      const name = unique('Until today');
      await dialog.getByLabel('Name').fill(name);
      await dialog.getByLabel('imports:write').check();
      await dialog.getByLabel('Expires at').fill('12026-03-01');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await dialog.getByText('must be an ISO 8601 time').waitFor();
      await dialog.getByLabel('Expires at').fill('2035-11-04');
      await dialog.getByRole('button', { name: 'Create key' }).click();
      await page.getByText(/^dk_\w{40}$/).waitFor();
      const keys = dataOf<{ name: string; expires_at: string }[]>(
        await context.directory.adminOk('GET', '/api/admin/keys'),
      );
      expect(keys.find((key) => key.name === name)?.expires_at).toBe('2035-11-05T07:59:59.999Z');
    },
  );
});
