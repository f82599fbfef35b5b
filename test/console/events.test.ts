import { describe, expect, it } from 'vitest';
import { insertDeadLetter } from '#data/dead-letters.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { dataOf } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Events', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('filters the ledger, opens an event, and shows audit log and dead letters', async () => {
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
    await page.getByRole('button', { name: 'projects.approve' }).first().click();
    await page.getByRole('dialog', { name: 'projects.approve' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'Dead letters' }).click();
    await page.getByText('Dead letters').first().waitFor();
    await page.close();
  });

  it('replays a dead letter, and deletes one after a question', async () => {
    const { directory } = context;
    const { id } = await directory.submit(directory.admin);
    const ledger = await directory.adminOk('GET', `/api/admin/events?subject=project:${id}`);
    const event = dataOf<{ id: string }[]>(ledger)[0];
    const [replayed, deleted] = ['analytics.countStep', 'mail.tellSubmitter'] as const;
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
    const page = await context.open('administrator', '/events?tab=letters');
    const letterOf = (subscriber: string) => page.getByRole('listitem').filter({ hasText: subscriber });
    await letterOf(replayed).getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('status').filter({ hasText: 'Sent to the subscriber again.' }).waitFor();
    await letterOf(replayed).waitFor({ state: 'detached' });
    await letterOf(deleted).getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await letterOf(deleted).waitFor({ state: 'detached' });
    await page.close();
  });
});
