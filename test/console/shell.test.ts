import { once } from 'node:events';
import { createServer as createSite } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually, signIn } from './browser.ts';

describeInBrowser('the console', (context) => {
  longTest(
    'g and a letter lead to every page, also twice within a second, and / finds the search of a page or the palette',
    async () => {
      const page = await context.open('administrator', '/queue');
      const heading = (name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
      await heading('Queue');
      // The second page stands after the first one in the navigation, and before it.
      for (const [key, title] of [
        ['l', 'Listings'],
        ['s', 'Settings'],
        ['q', 'Queue'],
        ['j', 'Jobs'],
        ['u', 'Users'],
      ] as const) {
        await page.keyboard.press('g');
        await page.keyboard.press(key);
        await heading(title);
      }
      await page.getByLabel('Search', { exact: true }).waitFor();
      await page.keyboard.press('/');
      expect(await page.evaluate('document.activeElement.type')).toBe('search');
      await page.keyboard.press('Escape');
      await page.getByRole('heading', { level: 1 }).click();
      for (const keys of ['gh', 'gj']) for (const key of keys) await page.keyboard.press(key);
      await heading('Jobs');
      await page.keyboard.press('/');
      await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    },
  );

  longTest('single keys are no shortcuts after they are switched off, also after a reload', async () => {
    const page = await context.open('administrator', '/queue');
    await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
    await page.keyboard.press('?');
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await dialog.getByLabel('Single keys are shortcuts').uncheck();
    await page.keyboard.press('Escape');
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
    for (const key of ['g', 'l', '?']) await page.keyboard.press(key);
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/console/queue');
  });

  longTest(
    'the console has one navigation, names the page in heading and title, and lists shortcuts and pages in dialogs',
    async () => {
      const page = await context.open('administrator');
      await page.getByRole('heading', { level: 1, name: 'Home', exact: true }).waitFor();
      expect(await page.title()).toContain('Home');
      await eventually(async () => await page.getByRole('navigation').count()).toBe(1);
      await eventually(
        async () => await page.getByRole('navigation').getByRole('link', { name: 'Home' }).getAttribute('aria-current'),
      ).toBe('page');
      for (const keys of ['?', 'Control+k']) {
        await page.keyboard.press(keys);
        await page.getByRole('dialog').waitFor();
        expect(await violationsOf(page)).toEqual([]);
        await page.keyboard.press('Escape');
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
    },
  );

  it('the console signs in again after a reload, and forgets the session after signing out', async () => {
    const page = await context.open('administrator');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('q');
    await page.getByRole('heading', { level: 1, name: 'Queue' }).waitFor();
    await page.getByRole('navigation').getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Sign in as administrator' }).waitFor();
  });

  longTest('the local sign-in works at every address of this machine, and at another port in front', async () => {
    const { port } = context.server.server;
    const front = createServer((socket) => {
      const behind = connect(port, '127.0.0.1');
      socket.on('error', () => behind.destroy()).pipe(behind);
      behind.on('error', () => socket.destroy()).pipe(socket);
    }).listen(0, '127.0.0.1');
    await once(front, 'listening');
    const { port: frontPort } = front.address() as AddressInfo;
    for (const host of [`127.0.0.1:${port}`, `[::1]:${port}`, `localhost:${frontPort}`]) {
      const page = await context.browser.newPage({ locale: 'en-US' });
      await signIn(page, `http://${host}`, 'administrator');
      await page.getByRole('heading', { level: 1, name: 'Home', exact: true }).waitFor();
      await page.close();
    }
    front.close();
  });

  longTest('a page of another site reaches other servers of this machine, but not the database engine', async () => {
    const page = await context.browser.newPage();
    const site = createSite((_, response) => response.end('A page.')).listen(0, '127.0.0.1');
    await once(site, 'listening');
    const { port } = site.address() as AddressInfo;
    await page.goto(`http://localhost:${port}`);
    const reaches = (url: string): Promise<boolean> =>
      page.evaluate(
        (address) =>
          fetch(address, { mode: 'no-cors' }).then(
            () => true,
            () => false,
          ),
        url,
      );
    expect(await reaches(`http://127.0.0.1:${port}`)).toBe(true);
    expect(await reaches(context.server.server.databaseEndpoint)).toBe(false);
    await page.close();
    site.close();
  });

  it('the console tells a user without a role what is missing, and an unknown page', async () => {
    const user = await context.open('user');
    await user.getByText('The console is for administrators and moderators.').waitFor();
    await user.close();
    const page = await context.open('moderator', '/nowhere');
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.close();
    const nested = await context.open('administrator', '/queue/nowhere');
    await nested.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await nested.getByRole('link', { name: 'Back to Home' }).click();
    await nested.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  });

  longTest('a slash at the end of an address means nothing', async () => {
    const page = await context.open('administrator', '/jobs/?after=x#here');
    await page.getByRole('heading', { level: 1, name: 'Jobs', exact: true }).waitFor();
    const { origin, pathname, search, hash } = new URL(page.url());
    expect([pathname, search, hash]).toEqual(['/console/jobs', '?after=x', '#here']);
    // What is loaded later and the icon are found from there.
    const icon = await page.evaluate("document.querySelector('link[rel=icon]').href");
    expect(icon).toMatch(new RegExp(`^${origin}/console/icon-`));
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Go to' }).waitFor();
    await page.goto(`${origin}/console/`);
    await page.getByRole('heading', { level: 1, name: 'Home', exact: true }).waitFor();
    expect(page.url()).toBe(`${origin}/console`);
  });

  longTest('a page of administrators tells a moderator that it is not for this role, with a link back', async () => {
    const page = await context.open('moderator', '/users');
    await page.getByRole('heading', { name: 'Not for your role' }).waitFor();
    await page.getByRole('link', { name: 'Back to Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  });
});
