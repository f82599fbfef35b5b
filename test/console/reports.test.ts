import { describe, expect, it } from 'vitest';
import { type Person, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Reports', () => {
  let context: BrowserContext;
  let owner: Person;
  let reporters: readonly Person[];

  withBrowser(async (given) => {
    context = given;
    owner = await person(given.server);
    reporters = [await person(given.server), await person(given.server)];
  });

  const reported = async () => {
    const name = unique('Reported');
    const { id } = await context.directory.live(owner, { name });
    for (const reporter of reporters) {
      await context.directory.ok(reporter, 'POST', `/api/projects/${id}/report`, { reason: unique('spam') }, 201);
    }
    return { id, name };
  };
  const statusOf = async (id: string) => {
    const { status, rejection_reason } = await context.directory.read(id, context.directory.admin);
    return { status, rejection_reason };
  };

  it('settles the reports of a listing together with rejecting it, and undoes both', async () => {
    const { id, name } = await reported();
    const page = await context.open('administrator', '/reports');
    const group = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    await group.getByText('2 reports').waitFor();
    await group.getByLabel('Note').fill('Copied content.');
    await group.getByRole('button', { name: 'Reject listing, resolve 2' }).click();
    await group.waitFor({ state: 'detached' });
    expect(await statusOf(id)).toMatchObject({ status: 'rejected', rejection_reason: 'Copied content.' });

    await page.getByRole('button', { name: 'Undo' }).click();
    await group.waitFor();
    expect(await statusOf(id)).toMatchObject({ status: 'live' });

    await group.getByRole('button', { name: 'Dismiss 2' }).click();
    await group.waitFor({ state: 'detached' });
    await page.getByLabel('Show', { exact: true }).selectOption('Dismissed');
    await group.waitFor();
    await page.reload();
    await group.getByRole('button', { name: 'Reopen 2' }).click();
    await group.waitFor({ state: 'detached' });
    await page.close();
  });

  longTest('offers moderators no deletion, without a violation that axe finds', async () => {
    const { name } = await reported();
    const page = await context.open('moderator', '/reports');
    const group = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    await group.getByRole('button', { name: 'Resolve 2', exact: true }).waitFor();
    await eventually(async () => await group.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });
});
