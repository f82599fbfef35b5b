import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { rollUpAll, trackAccepted } from '#test/support/analytics.ts';
import { fullSubmission, type Person, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { freshAddress } from '#test/support/requests.ts';
import { violationsOf } from './axe.ts';
import { beginSession, describeInBrowser, eventually } from './browser.ts';

/** What a visitor does on the public pages, as the user of the local issuer. */

describeInBrowser('a visitor of the public pages', (context) => {
  let page: Page;
  let slug: string;
  let id: string;
  let problems: string[];

  const origin = (): string => `http://localhost:${context.server.server.port}`;

  const newPage = async (options: object = {}): Promise<Page> => {
    const opened = await context.browser.newPage({ locale: 'en-US', ...options });
    opened.setDefaultTimeout(90_000);
    opened.on('pageerror', ({ message }) => problems.push(message));
    opened.on('console', (message) => {
      if (message.type() === 'error' && !message.text().includes('Failed to load resource'))
        problems.push(message.text());
    });
    return opened;
  };

  beforeEach(async () => {
    problems = [];
    const { directory } = context;
    const listing = await directory.live(directory.admin, fullSubmission({ logo_url: null, screenshots: [] }));
    ({ id, slug } = listing);
    page = await newPage();
    await page.goto(`${origin()}/projects/${slug}`);
  });

  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  const signInAs = (user: 'user' | 'administrator', on: Page = page) =>
    on.getByRole('button', { name: `Sign in as ${user}` }).click();

  /** The link of the header, once the script has given it the page to return to. */
  const signInLink = () => page.getByRole('link', { name: 'Sign in' }).and(page.locator('[href*="return_to"]'));

  const voteButton = (count: number) => page.getByRole('button', { name: `Vote votes: ${count}` });

  const isPressed = (name: string | RegExp) => page.getByRole('button', { name, pressed: true }).waitFor();

  it('a vote signs in, returns to the listing and counts once; it can be taken back', async () => {
    await voteButton(0).click();
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    await isPressed('Vote votes: 1');
    await page.reload();
    await isPressed('Vote votes: 1');
    await voteButton(1).click();
    await page.getByRole('button', { name: 'Vote votes: 0', pressed: false }).waitFor();
  });

  longTest('a vote is not cast for someone who returns without signing in', async () => {
    await voteButton(0).click();
    await page.waitForURL(/\/sign-in\?/);
    await page.goto(`${origin()}/projects/${slug}`);
    await signInLink().click();
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    await page.locator('summary', { hasText: 'Your account' }).waitFor();
    expect((await context.directory.adminOk('GET', `/api/projects/${id}`)).body).toMatchObject({
      data: { upvote_count: 0 },
    });
  });

  longTest('bookmarks and ratings are kept, and a rating can be removed', async () => {
    await page.getByRole('button', { name: 'Bookmark' }).click();
    await signInAs('user');
    await isPressed('Bookmark');
    await page.getByRole('button', { name: '4 of 5' }).click();
    await isPressed('4 of 5');
    await page.getByText('1 rating', { exact: true }).waitFor();
    await page.reload();
    await isPressed('4 of 5');
    await isPressed('Bookmark');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Remove', exact: true }).click();
    await page.getByText('No ratings yet').waitFor();
    await page.getByRole('button', { name: '4 of 5', pressed: false }).waitFor();
  });

  longTest(
    'a user claims a listing, sees what to publish, looks for it, and withdraws the claim on the own page',
    async () => {
      const { directory, server } = context;
      const { id: claimed, slug: path } = await directory.live(await person(server), {
        name: unique('Claimed'),
        url: `https://${unique('shop')}.invalid/`,
      });
      await page.goto(`${origin()}/projects/${path}`);
      await page.getByText('Is this yours? Claim it').click();
      await page.getByRole('link', { name: 'Sign in to claim this listing' }).click();
      await signInAs('user');
      await page.waitForURL(`${origin()}/projects/${path}`);
      await page.getByText('Is this yours? Claim it').click();
      await page.getByRole('button', { name: 'Claim this listing' }).click();
      await page.getByRole('alert').getByText('email address is not at the domain').waitFor();
      await page.getByLabel('I add a line to its page, or a file').check();
      await page.getByLabel('Message to the administrators').fill('It is mine.');
      expect(await violationsOf(page)).toEqual([]);
      await page.getByRole('button', { name: 'Claim this listing' }).click();
      await page.getByText('<meta name="directory-verification" content="').waitFor();
      await page.getByRole('button', { name: 'Look for it now' }).click();
      await page.getByText('The site could not be reached').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.reload();
      await page.getByText('Is this yours? Claim it').click();
      await page.getByRole('button', { name: 'Look for it now' }).waitFor();

      await page.goto(`${origin()}/me`);
      const claims = page.getByRole('region', { name: 'Your claims' });
      await claims.getByRole('button', { name: /^Withdraw the claim of/ }).click();
      await claims.getByText('The claim is withdrawn.').waitFor();
      expect(await violationsOf(page)).toEqual([]);
      const { data } = (await directory.adminOk('GET', '/api/admin/claims?state=withdrawn')).body as {
        data: { project: { id: string }; message: string }[];
      };
      expect(data.find(({ project }) => project.id === claimed)?.message).toBe('It is mine.');
    },
  );

  it('a comment survives signing in; its author edits and deletes it', async () => {
    const text = unique('A comment <b>with markup</b> ');
    await page.getByLabel('Your comment').fill(text);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    await eventually(() => page.getByLabel('Your comment').inputValue()).toBe(text);
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('Your comment is published.').waitFor();
    await page.getByRole('heading', { name: '1 comment' }).waitFor();
    const comment = page.getByRole('listitem').filter({ hasText: text });
    await comment.getByRole('button', { name: 'Edit' }).click();
    await comment.getByLabel('Your comment').fill(`${text} and more`);
    expect(await violationsOf(page)).toEqual([]);
    await comment.getByRole('button', { name: 'Save' }).click();
    await comment.getByText(`${text} and more`).waitFor();
    await page.reload();
    await comment.getByRole('button', { name: 'Delete' }).click();
    await comment.getByRole('button', { name: 'Keep' }).click();
    await comment.getByRole('button', { name: 'Delete' }).click();
    await comment.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No comments yet.').waitFor();
  });

  longTest('more comments than the page has are shown on demand', async () => {
    const { directory } = context;
    for (let index = 0; index < 22; index += 1)
      await directory.adminOk('POST', `/api/projects/${id}/comments`, { content: `Comment ${index}.` }, 201);
    await page.reload();
    expect(await page.locator('.comment').count()).toBe(20);
    await page.getByRole('button', { name: 'Show more comments' }).click();
    await page.getByText('Comment 0.').waitFor();
    expect(await page.locator('.comment').count()).toBe(22);
  });

  longTest('a report reaches the moderators', async () => {
    await signInLink().click();
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    await page.getByText('Report this listing').click();
    await page.getByLabel('What is wrong?').selectOption('It is listed twice');
    await page.getByLabel('Details (optional)').fill('See the other one.');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send report' }).click();
    await page.getByText('Thank you. Moderators see your report.').waitFor();
    const { body } = await context.directory.adminOk('GET', '/api/admin/reports');
    expect(body).toMatchObject({
      data: expect.arrayContaining([
        expect.objectContaining({ project_id: id, reason: 'duplicate', details: 'See the other one.' }),
      ]),
    });
  });

  longTest('what the service refuses is said beside the control', async () => {
    await signInLink().click();
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    const body = { error: 'Too many requests', code: 'RATE_LIMITED', retryAfter: 7 };
    await page.route('**/upvote', (route) => route.fulfill({ status: 429, json: body }), { times: 1 });
    await voteButton(0).click();
    await page.getByRole('alert').filter({ hasText: 'Try again in 7 seconds.' }).waitFor();
    await page.route('**/upvote', (route) => route.abort(), { times: 1 });
    await voteButton(0).click();
    await page.getByRole('alert').filter({ hasText: 'cannot be reached' }).waitFor();
    await context.directory.adminOk('DELETE', `/api/projects/${id}`);
    await voteButton(0).click();
    await page.getByRole('alert').filter({ hasText: 'no longer available' }).waitFor();
  });

  longTest('a session that has ended is renewed without a question, and else asks to sign in again', async () => {
    await signInLink().click();
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    await page.context().clearCookies({ name: 'directory_token' });
    await voteButton(0).click();
    await isPressed('Vote votes: 1');
    await page.context().clearCookies();
    await voteButton(1).click();
    await page.waitForURL(/\/sign-in\?/);
  });

  longTest('the header shows who is signed in on every page, until they sign out', async () => {
    await signInLink().click();
    expect(await violationsOf(page)).toEqual([]);
    await signInAs('administrator');
    await page.waitForURL(`${origin()}/projects/${slug}`);
    await page.goto(`${origin()}/categories`);
    await page.locator('summary', { hasText: 'Your account' }).click();
    await page.getByText('Administrator', { exact: true }).waitFor();
    expect(await page.locator('.menu').getByRole('link', { name: 'Console' }).getAttribute('href')).toBe('/console');
    expect(await violationsOf(page)).toEqual([]);
    await page.goto(`${origin()}/sign-in?return_to=/categories`);
    await page.getByText('You are signed in as Administrator.').waitFor();
    expect(await page.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(`${origin()}/categories`);
    await page.locator('summary', { hasText: 'Your account' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${origin()}/`);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  });

  longTest('signing in by a link that the script has not reached returns to the page with the link', async () => {
    await page.goto(`${origin()}/projects?sort=name`);
    await page.evaluate(`location.assign('/sign-in')`);
    await signInAs('user');
    await page.waitForURL(`${origin()}/projects?sort=name`);
    await page.locator('summary', { hasText: 'Your account' }).waitFor();
  });

  /** Opens a page without one of its scripts. @returns lets the script run. */
  const openWithout = async (script: RegExp, path: string): Promise<() => void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const requested = page.waitForRequest(script);
    await page.route(script, async (route) => {
      await promise;
      await route.continue();
    });
    await page.goto(`${origin()}${path}`, { waitUntil: 'commit' });
    await requested;
    return resolve;
  };

  longTest(
    'the controls of a listing wait for its script, without looking so, and keep what was typed before',
    async () => {
      const release = await openWithout(/\/listing[^/]*\.js/, `/projects/${slug}`);
      await page.getByLabel('Your comment').fill('Written early.');
      await page.getByText('Report this listing').click();
      for (const name of ['Vote', 'Bookmark', '4 of 5', 'Comment', 'Send report']) {
        const button = page.getByRole('button', { name }).first();
        expect([name, await button.isDisabled()]).toEqual([name, true]);
      }
      const looks = '[...document.querySelectorAll("[data-waiting]")].map((one) => getComputedStyle(one).opacity)';
      expect(new Set(await page.evaluate<string[]>(looks))).toEqual(new Set(['1']));
      release();
      await voteButton(0).click();
      await signInAs('user');
      await isPressed('Vote votes: 1');
      expect(await page.getByLabel('Your comment').inputValue()).toBe('Written early.');
    },
  );

  longTest('signing in can be asked for when the script of its page has run, not before', async () => {
    const release = await openWithout(/\/sign-in[^/]*\.js/, '/sign-in?return_to=/categories');
    const button = page.getByRole('button', { name: 'Sign in as user' });
    await button.waitFor();
    expect(await button.isDisabled()).toBe(true);
    release();
    await button.click();
    await page.waitForURL(`${origin()}/categories`);
  });

  longTest('signing in cannot lead to another site, and an answer that was not asked for is refused', async () => {
    await page.goto(`${origin()}/sign-in?return_to=//evil.example/`);
    await signInAs('user');
    await page.waitForURL(`${origin()}/`);
    await page.context().clearCookies();
    await page.goto(`${origin()}/sign-in?code=x&state=y`);
    await page.getByRole('alert').filter({ hasText: 'was not started in this tab' }).waitFor();
    expect(page.url()).toBe(`${origin()}/sign-in`);
    await page.goto(`${origin()}/sign-in?return_to=/categories`);
    await page.evaluate(
      `sessionStorage.setItem('site-sign-in', JSON.stringify({ verifier: 'v', state: 's', returnTo: '/categories' }))`,
    );
    await page.goto(`${origin()}/sign-in?error=access_denied&state=s`);
    await page.getByRole('alert').filter({ hasText: 'You did not sign in.' }).waitFor();
    await signInAs('user');
    await page.waitForURL(`${origin()}/categories`);
  });

  longTest('a list is followed after signing in, and a plain one cannot be', async () => {
    const { category } = context.directory;
    await page.goto(`${origin()}/projects`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(await page.locator('[data-follow]').count()).toBe(0);
    await page.goto(`${origin()}/categories/${category}?pricing=free`);
    await page.getByText('Follow this list').click();
    await page.getByLabel('On Mondays').check();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.waitForURL(/\/sign-in\?/);
    await signInAs('user');
    await page.waitForURL(`${origin()}/categories/${category}?pricing=free`);
    await page.getByText('Follow this list').click();
    await page.getByLabel('On Mondays').check();
    await page.getByRole('button', { name: 'Follow' }).click();
    await page.getByText('You follow this.').waitFor();
    await page.getByRole('link', { name: 'What you follow' }).click();
    await page.getByRole('heading', { name: 'What you follow' }).waitFor();
    const row = page.locator('section', { hasText: 'What you follow' }).getByRole('listitem');
    await row.getByText('On Mondays').waitFor();
    const address = await row.getByRole('link').getAttribute('href');
    expect(Object.fromEntries(new URL(address ?? '', origin()).searchParams)).toEqual({ category, pricing: 'free' });
    await page.getByRole('button', { name: /from what you follow$/ }).click();
    await page.getByText('You follow nothing.').waitFor();
  });

  it('without script the listing reads, and offers nothing that would not work', async () => {
    const plain = await newPage({ javaScriptEnabled: false, viewport: { width: 360, height: 800 } });
    await plain.goto(`${origin()}/projects/${slug}`);
    await plain.locator('.vote.no-script').waitFor();
    for (const control of ['.vote.needs-script', '[data-bookmark]', '[data-comment-form]', '[data-report]'])
      expect([control, await plain.locator(control).isVisible()]).toEqual([control, false]);
    await plain.goto(`${origin()}/sign-in`);
    await plain.getByText('Signing in needs JavaScript.').waitFor();
    expect(await plain.getByRole('button', { name: 'Sign in as user' }).isVisible()).toBe(false);
    await plain.close();
  });
});

describeInBrowser('the account of a visitor', (context) => {
  let page: Page;
  let problems: string[];

  const origin = (): string => `http://localhost:${context.server.server.port}`;

  beforeEach(async () => {
    problems = [];
    page = await context.browser.newPage({ locale: 'en-US' });
    page.setDefaultTimeout(90_000);
    page.on('pageerror', ({ message }) => problems.push(message));
  });

  afterEach(async () => {
    await page.close();
    expect(problems).toEqual([]);
  });

  /** Opens the account with the session that a token begins. */
  const openAs = async (user: Person): Promise<void> => {
    await page.goto(`${origin()}/me`);
    await beginSession(page, user);
    await page.reload();
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
  };

  longTest('signing in from the account returns to it', async () => {
    await page.goto(`${origin()}/me`);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByText('Sign in to see your listings').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign in as user' }).click();
    await page.waitForURL(`${origin()}/me`);
    await page.getByRole('heading', { name: 'Profile' }).waitFor();
  });

  longTest('it shows listings with their status, and bookmarks, which can be removed', async () => {
    const { directory } = context;
    const user = await person(context.server);
    const live = await directory.live(user, { name: unique('Live') });
    const rejected = await directory.submit(user, { name: unique('Rejected') });
    await directory.adminOk('PUT', `/api/admin/projects/${rejected.id}/reject`, { reason: 'Too short.' });
    const waiting = await directory.submit(user, { name: unique('Waiting') });
    const other = await directory.live(directory.admin, { name: unique('Marked') });
    await directory.ok(user, 'PUT', `/api/projects/${other.id}/bookmark`);
    expect(waiting.status).toBe('pending');
    await context.server.until(async () => {
      const { body } = await directory.ok(user, 'GET', '/api/me/submissions');
      return (body as { data: unknown[] }).data.length === 3;
    });
    await openAs(user);
    await page.getByText('Position in the queue').waitFor();
    await page.getByText('Reason: Too short.').waitFor();
    expect(await page.getByRole('link', { name: /^Live-/ }).getAttribute('href')).toBe(`/projects/${live.slug}`);
    await page.getByRole('link', { name: /^Marked-/ }).waitFor();
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 800 });
      expect(await violationsOf(page)).toEqual([]);
      const isTooWide = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
      expect([width, await page.evaluate(isTooWide)]).toEqual([width, false]);
    }
    await page.getByRole('button', { name: 'Remove the bookmark of Marked' }).click();
    await page.getByText('You have no bookmarks.').waitFor();
  });

  longTest('it shows the visits of a listing over time, as bars and as a table', async () => {
    const { directory } = context;
    const user = await person(context.server);
    const { id } = await directory.live(user, { name: unique('Visited') });
    const event = { type: 'project_view', project_id: id, path: '/projects/x', referrer: 'https://news.example/item' };
    for (const address of [freshAddress(), freshAddress(), freshAddress()])
      expect(await trackAccepted(context.server, event, { address })).toBe(1);
    await rollUpAll();
    await openAs(user);
    await page.getByText('Statistics', { exact: true }).click();
    await page.getByText('Visitors: 3').waitFor();
    await page.getByText('news.example (3)').waitFor();
    expect(await page.locator('.bars rect').count()).toBe(30);
    await page.getByText('As a table').click();
    const first = page.locator('.statistics tbody tr').first();
    expect(await first.locator('td').allTextContents()).toEqual(['3', '3']);
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Period').selectOption('The last 90 days, by week');
    await page.getByRole('columnheader', { name: 'Week from' }).waitFor();
    expect(await first.locator('td').allTextContents()).toEqual(['3', '3']);
  });

  longTest('it shows follows that rest, and that their mails are off', async () => {
    const { directory } = context;
    const user = await person(context.server);
    const query = { category: unique('gone') };
    await directory.ok(user, 'POST', '/api/me/follows', { query, name: 'Old <b>', frequency: 'daily' }, 201);
    await directory.ok(user, 'PUT', '/api/user/settings', { notifications: { follow_digest: false } });
    await openAs(user);
    await page.getByRole('link', { name: 'Old <b>' }).waitFor();
    await page.getByText('Rests: its category or filter no longer exists.').waitFor();
    await page.getByText('Mails with new listings are off.').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('the profile is saved, and what is wrong is said beside its field', async () => {
    const user = await person(context.server);
    await openAs(user);
    await page.getByLabel('Website').fill('no address');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('#website-problem').waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('website');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByLabel('Website').fill('https://example.com/me');
    await page.getByLabel('About you').fill('I collect teas.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('The numbers of your listings, every week').uncheck();
    await eventually(async () => (await context.directory.ok(user, 'GET', '/api/user/profile')).body).toMatchObject({
      data: { website: 'https://example.com/me', bio: 'I collect teas.', notifications: { weekly_digest: false } },
    });
  });

  longTest('the data is a file', async () => {
    const user = await person(context.server);
    await openAs(user);
    const downloading = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download your data' }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('my-data.json');
    const { data } = JSON.parse(readFileSync(await download.path(), 'utf8')) as { data: { profile: { id: string } } };
    expect(data.profile.id).toBe(user.id);
  });

  longTest('the account is deleted after a confirmation, with the listings where that is chosen', async () => {
    const { directory } = context;
    const user = await person(context.server);
    const listing = await directory.live(user);
    await openAs(user);
    await page.getByText('Delete the account …').click();
    const submit = page.getByRole('button', { name: 'Delete my account' });
    expect(await submit.isDisabled()).toBe(true);
    await page.getByLabel('are deleted for ever').check();
    await page.getByLabel('I know that this cannot be undone').check();
    expect(await violationsOf(page)).toEqual([]);
    await submit.click();
    await page.waitForURL(`${origin()}/`);
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
    await eventually(async () => (await context.server.call('GET', `/api/projects/${listing.id}`)).status).toBe(404);
  });

  longTest('what the service refuses is said there', async () => {
    const user = await person(context.server);
    await openAs(user);
    await page.route('**/api/user?projects=keep', (route) =>
      route.fulfill({
        status: 409,
        json: { error: 'Conflict', code: 'SELF_CHANGE', message: 'The last administrator stays.' },
      }),
    );
    await page.getByText('Delete the account …').click();
    await page.getByLabel('I know that this cannot be undone').check();
    await page.getByRole('button', { name: 'Delete my account' }).click();
    await page.getByRole('alert').filter({ hasText: 'The last administrator stays.' }).waitFor();
  });
});
