import type { Page } from 'playwright-core';
import { person } from '#test/support/fixtures.ts';
import type { BrowserContext } from './browser.ts';

/** Submissions of a directory whose queue has no others, and what the console shows of them. */
export const submissionsOf = (context: BrowserContext) => ({
  /** Submits listings to an empty queue, in this order. */
  submit: async (names: readonly string[]): Promise<string[]> => {
    const { directory, server } = context;
    const waiting = await directory.ok(directory.admin, 'GET', '/api/admin/projects?status=pending&limit=100');
    const ids = (waiting.body as { data: { id: string }[] }).data.map(({ id }) => id);
    if (ids.length > 0)
      await directory.ok(directory.admin, 'POST', '/api/admin/projects/bulk', { ids, action: 'delete' });
    const owner = await person(server);
    const submitted: string[] = [];
    for (const name of names) {
      submitted.push((await directory.submit(owner, { name, long_description: `All about ${name}.` })).id);
    }
    return submitted;
  },

  statusOf: async (id: string) => (await context.directory.read(id, context.directory.admin)).status,

  /** Waits until the submission is open with all its text. */
  opened: async (page: Page, name: string) =>
    await page.getByRole('article', { name, exact: true }).getByText(`All about ${name}.`).waitFor(),
});

/** Waits until everything that a decision needs is on the screen. */
export const canDecide = async (page: Page): Promise<void> =>
  await page.getByRole('button', { name: 'Approve', exact: true, disabled: false }).waitFor();

/** The element with the focus, as its tag and text. */
export const focused = async (page: Page): Promise<string> =>
  await page.evaluate("document.activeElement.tagName + ' ' + document.activeElement.textContent");
