import { expect, it } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { beginSession, describeInBrowser, eventually } from './browser.ts';
import { canDecide } from './submissions.ts';

describeInBrowser(
  'edits in the queue',
  (context) => {
    it('an edit replaces what was published since only after a question that shows all three values', async () => {
      const { directory, server } = context;
      const owner = await person(server);
      const { id } = await directory.project('live', owner, { name: 'Original name' });
      await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: 'Proposed name' });
      await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${id}`, { name: 'Published name' });
      const nameOf = async () => (await directory.read(id, directory.admin)).name;

      const page = await context.open('administrator', '/queue?kind=edits');
      const article = page.getByRole('article');
      for (const name of ['Original name', 'Published name', 'Proposed name'])
        await article.getByRole('definition').filter({ hasText: name }).waitFor();
      await canDecide(page);
      await page.keyboard.press('a');
      const dialog = page.getByRole('dialog', { name: 'Replace what was published since?' });
      for (const name of ['Original name', 'Published name', 'Proposed name']) await dialog.getByText(name).waitFor();
      expect(await violationsOf(page)).toEqual([]);
      await page.keyboard.press('Escape');
      expect(await nameOf()).toBe('Published name');

      // Another change while the question is open has not been seen.
      await page.keyboard.press('a');
      await directory.ok(directory.admin, 'PUT', `/api/admin/projects/${id}`, { name: 'Published again' });
      await dialog.getByRole('button', { name: 'Replace and approve' }).click();
      await dialog.getByText('It was changed again a moment ago.').waitFor();
      await dialog.getByText('Published again').waitFor();
      expect(await nameOf()).toBe('Published again');
      await dialog.getByRole('button', { name: 'Replace and approve' }).click();
      await eventually(nameOf).toBe('Proposed name');
    });

    it('an edit that another moderator decides stays open, with the name of that moderator', async () => {
      const { directory, server } = context;
      const owner = await person(server);
      const { id } = await directory.project('live', owner, { name: 'Contested edit' });
      await directory.ok(owner, 'PUT', `/api/projects/${id}`, { description: 'Proposed.' });
      const page = await context.open('moderator', '/queue?kind=edits');
      await canDecide(page);
      const [revision] = (
        (await directory.ok(directory.admin, 'GET', '/api/admin/revisions')).body as { data: { id: string }[] }
      ).data;
      await directory.ok(directory.admin, 'POST', `/api/admin/projects/${id}/revisions/${revision?.id}/approve`);
      await eventually(async () => {
        await page.evaluate("window.dispatchEvent(new Event('visibilitychange'))");
        return await page.getByText(/Decided by .+ meanwhile/).count();
      }).toBe(1);
      await page.keyboard.press('s');
      await page.getByText('The queue is empty').waitFor();
    });

    it('an edit of which the list cuts the values is decided whole, in the state that is shown', async () => {
      const { directory, server } = context;
      const owner = await person(server);
      const { id } = await directory.project('live', owner, { long_description: 'Whole' });
      const edit = async (long_description: string) =>
        await directory.ok(owner, 'PUT', `/api/projects/${id}`, { long_description });
      await edit('Complete');
      const page = await context.open('administrator', '/settings');
      const cut = { before: 'W', after: 'C', truncated: true };
      let isMerged = false;
      await page.route('**/api/admin/revisions?*limit=100*', async (route) => {
        const { data, meta } = (await (await route.fetch()).json()) as { data: { changes: object[] }[]; meta: object };
        const changed = data.map((one) => ({ ...one, changes: one.changes.map((change) => ({ ...change, ...cut })) }));
        // The edit is another one by the time when its whole values are read.
        if (!isMerged) await edit('Replaced');
        isMerged = true;
        await route.fulfill({ json: { data: changed, meta } });
      });
      await page.getByRole('link', { name: /^Queue/ }).click();
      const article = page.getByRole('article');
      await article.getByText('Replaced', { exact: true }).waitFor();
      await article.getByText('Whole', { exact: true }).waitFor();
      await canDecide(page);
      await page.keyboard.press('a');
      await eventually(async () => (await directory.read(id)).long_description).toBe('Replaced');
    });

    it('its owner sees on the public pages that an edit waits, and continues it', async () => {
      const { directory, server, browser } = context;
      const owner = await person(server);
      const { id } = await directory.project('live', owner, { name: 'Public name' });
      const page = await browser.newPage({ locale: 'en-US' });
      const origin = `http://localhost:${server.server.port}`;
      await page.goto(`${origin}/submit`);
      await beginSession(page, owner);
      await page.goto(`${origin}/submit?edit=${id}`);
      await page.getByLabel('Name', { exact: true }).fill('Waiting name');
      await page.getByRole('button', { name: 'Save the changes' }).click();
      await page.getByText('Saved. A moderator reviews the change; until then the page stays as it is.').waitFor();
      await page.reload();
      await page.getByText('An edit of this listing waits for review.').waitFor();
      expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Waiting name');
      await page.getByLabel('City').fill('Lyon');
      await page.getByRole('button', { name: 'Save the changes' }).click();
      await page.getByText('Saved. A moderator reviews the change').waitFor();
      expect(await directory.read(id, owner)).toMatchObject({
        name: 'Public name',
        pending_revision: { changes: [{ field: 'name' }, { field: 'address_city', after: 'Lyon' }] },
      });
      await page.close();
    });
  },
  { LIVE_EDITS: 'review' },
);
