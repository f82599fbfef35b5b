import { beforeAll, expect, it } from 'vitest';
import { dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Reports', (context) => {
  let owner: Person;
  let reporters: readonly Person[];

  beforeAll(async () => {
    owner = await person(context.server);
    reporters = [await person(context.server), await person(context.server)];
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

  it('the page Reports settles the reports of a listing together with rejecting it, and undoes both', async () => {
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
  });

  longTest('the tab Votes holds the votes of a case and releases them again', async () => {
    const { server, directory } = context;
    const name = unique('Voted');
    const { id } = await directory.live(owner, { name });
    for (let count = 0; count < 8; count += 1) {
      const { token } = await person(server);
      await server.call('PUT', `/api/projects/${id}/upvote`, { token });
    }
    const cases = () => directory.adminOk('GET', '/api/admin/vote-cases?state=open&limit=100');
    await server.until(async () => {
      await runJob(server, 'review-votes');
      return JSON.stringify((await cases()).body).includes(id);
    });
    const upvotes = async () => (await directory.read(id)).upvote_count;

    const page = await context.open('administrator', '/reports');
    await page.getByRole('group', { name: 'Parts of the page' }).getByRole('link', { name: 'Votes' }).click();
    const row = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    await row.getByText('New accounts:').waitFor();
    await row.getByText('8 accounts').click();
    await row.getByRole('table', { name: `Accounts that voted for ${name}` }).waitFor();
    expect(await row.getByRole('row').count()).toBe(9);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await violationsOf(page)).toEqual([]);
    }
    await row.getByLabel('Note').fill('A ring.');
    await row.getByRole('button', { name: 'Hold 8' }).click();
    await row.waitFor({ state: 'detached' });
    await eventually(upvotes).toBe(0);
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(upvotes).toBe(8);

    await page.getByLabel('Show', { exact: true }).selectOption('Released');
    await row.getByRole('button', { name: 'Hold 8' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByLabel('Show', { exact: true }).selectOption('Held');
    await page.reload();
    await row.getByRole('button', { name: 'Release 8' }).click();
    await row.waitFor({ state: 'detached' });
    await eventually(upvotes).toBe(8);
  });

  longTest(
    'the tab Claims shows the proof and both owners of a claim, hands the listing over or rejects the claim',
    async () => {
      const { server, directory } = context;
      const claimed = async () => {
        const name = unique('Claimed');
        const { id } = await directory.live(owner, { name, url: `https://${unique('shop')}.example.com/` });
        const [user, other] = [await person(server), await person(server)];
        const path = `/api/projects/${id}/claims`;
        await directory.ok(user, 'POST', path, { method: 'mail', message: 'It is my shop.' }, 201);
        return { id, name, user, other, path };
      };
      const first = await claimed();
      const rowOf = (name: string) => page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
      const page = await context.open('administrator', '/reports');
      await page.getByRole('group', { name: 'Parts of the page' }).getByRole('link', { name: 'Claims' }).click();
      const row = rowOf(first.name);
      await row.getByRole('link', { name: first.user.name }).waitFor();
      await row.getByRole('link', { name: owner.name }).waitFor();
      await row.getByText('It is my shop.').waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        expect(await violationsOf(page)).toEqual([]);
      }
      await row.getByRole('button', { name: 'Make the owner' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Make the owner' }).click();
      await row.waitFor({ state: 'detached' });
      await eventually(async () => (await directory.read(first.id)).owner_id).toBe(first.user.id);

      const second = await claimed();
      const { proof } = dataOf<{ proof: { name: string; value: string } }>(
        await directory.ok(second.other, 'POST', second.path, { method: 'dns' }, 201),
      );
      await page.getByLabel('Show', { exact: true }).selectOption({ index: 1 });
      await rowOf(second.name).getByText(proof.value).waitFor();
      await rowOf(second.name).getByText(proof.name).waitFor();
      await rowOf(second.name).getByRole('button', { name: 'Reject' }).click();
      await page.getByRole('dialog').getByLabel('Reason').fill('Call us.');
      await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
      await rowOf(second.name).waitFor({ state: 'detached' });
      await page.getByLabel('Show', { exact: true }).selectOption('Rejected');
      await rowOf(second.name).getByText('Call us.').waitFor();
    },
  );

  longTest('the page Reports offers moderators no deletion, without a violation that axe finds', async () => {
    const { name } = await reported();
    const page = await context.open('moderator', '/reports');
    const group = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name }) });
    await group.getByRole('button', { name: 'Resolve 2', exact: true }).waitFor();
    await eventually(async () => await group.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
