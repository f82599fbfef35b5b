import { expect } from 'vitest';
import { insertDeadLetter } from '#data/dead-letters.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { dataOf, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Events', (context) => {
  longTest('the page Events filters the event log, opens an event, and shows audit log and dead letters', async () => {
    const { id } = await context.directory.live(context.directory.admin);
    const { name } = await context.directory.read(id);
    const page = await context.open('administrator', `/events?subject=project:${id}`);
    await page.getByLabel('Kind').selectOption('Project approved');
    const row = page.getByRole('row').filter({ hasText: name });
    await row.first().waitFor();
    await page.reload();
    await row.first().waitFor();
    await eventually(async () => await page.getByLabel('Kind').inputValue()).toBe('projectApproved');
    expect(await violationsOf(page)).toEqual([]);
    await row.getByRole('link', { name: 'Project approved' }).click();
    await page.getByRole('heading', { name: 'Subscribers' }).waitFor();
    await page.getByText(`"project_id": "${id}"`).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goBack();
    await row.first().waitFor();

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('button', { name: 'Approve listing' }).first().click();
    await page.getByRole('dialog', { name: 'Approve listing' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('Dead letters').first().waitFor();
  });

  longTest('the page Events names users and listings, and is filtered by picking one of them', async () => {
    const actor = await person(context.server, { name: unique('Actor') });
    const { id } = await context.directory.submit(actor, { name: unique('Submitted') });
    const { name } = await context.directory.read(id, context.directory.admin);
    const page = await context.open('administrator', '/events');
    const field = page.getByLabel('Actor', { exact: true });
    await field.fill(actor.name);
    await page.locator('datalist option', { hasText: actor.name }).waitFor({ state: 'attached' });
    await field.press('Enter');
    await page.waitForURL(/actor=/);
    await page.locator('output', { hasText: actor.name }).waitFor();
    const row = page.getByRole('row').filter({ hasText: 'Project submitted' });
    await row.getByRole('link', { name: actor.name }).waitFor();
    expect(await row.getByRole('link', { name }).getAttribute('href')).toContain(id);
    await page.getByRole('button', { name: 'Remove the filter actor' }).click();
    await page.getByLabel('Subject', { exact: true }).fill(name);
    await page.locator('datalist option', { hasText: name }).waitFor({ state: 'attached' });
    await page.getByLabel('Subject', { exact: true }).press('Enter');
    await page.waitForURL(/subject=project/);
    await page.locator('output', { hasText: name }).waitFor();
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByRole('row').filter({ hasText: 'Approve listing' }).first().waitFor();
    expect(await page.locator('tbody').textContent()).not.toContain('project:prj_');
  });

  longTest('the page Events replays a dead letter, and deletes one after a question', async () => {
    const { directory } = context;
    const { id } = await directory.submit(directory.admin);
    const ledger = await directory.adminOk('GET', `/api/admin/events?subject=project:${id}`);
    const event = dataOf<{ id: string }[]>(ledger)[0];
    const [replayed, deleted] = ['analytics.countStep', 'mail.notifySubmitter'] as const;
    for (const subscriber of [replayed, deleted]) {
      await insertDeadLetter({
        id: newId('ltr'),
        subscriber,
        kind: 'projectSubmitted',
        event_id: event?.id ?? null,
        failed_at: now(),
        error: 'The subscriber failed.',
        event: { ...event },
      });
    }
    const page = await context.open('administrator', '/events?tab=dead-letters');
    const letterOf = (subscriber: string) => page.getByRole('listitem').filter({ hasText: subscriber });
    await letterOf(replayed).getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('status').filter({ hasText: 'Sent to the subscriber again.' }).waitFor();
    await letterOf(replayed).waitFor({ state: 'detached' });
    await letterOf(deleted).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await letterOf(deleted).waitFor({ state: 'detached' });
  });
});
