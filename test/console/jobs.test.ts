import { describe, expect, it } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { type BrowserContext, chromiumPath, eventually, withBrowser } from './browser.ts';

describe.skipIf(chromiumPath === undefined)('the page Jobs', () => {
  let context: BrowserContext;

  withBrowser((given) => {
    context = given;
  });

  it('is linked on Home, runs a job and shows its result, also after a reload', async () => {
    const page = await context.open('administrator', '');
    const counts = page.getByRole('main').getByRole('link');
    await eventually(async () => await counts.filter({ hasText: 'Failing webhooks' }).getAttribute('href')).toBe(
      '/console/webhooks',
    );
    await eventually(async () => await counts.filter({ hasText: 'Dead letters' }).getAttribute('href')).toBe(
      '/console/events?tab=letters',
    );
    await counts.filter({ hasText: 'Failed jobs' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Expire promotions' });
    await row.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('status').filter({ hasText: 'runs in the background' }).waitFor();
    await row.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.reload();
    await row.getByText('Succeeded').waitFor();
    await page.getByText('hourly from 01:10 to 05:10 UTC').waitFor();
    await page.getByText('on Mondays, every 20 minutes from 07:00 to 10:40 UTC').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.close();
  });

  longTest('shows why a job does not run, and runs it after Retry', async () => {
    const page = await context.open('administrator', '/jobs');
    const error = { error: 'Conflict', message: 'The job runs already.', code: 'IN_PROGRESS' };
    await page.route('**/api/admin/jobs/*/run', (route) => route.fulfill({ status: 409, json: error }), { times: 1 });
    const row = page.getByRole('row').filter({ hasText: 'Refresh trending' });
    await row.getByRole('button', { name: 'Run now' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'The job runs already.' });
    await alert.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('status').filter({ hasText: 'Refresh trending runs in the background' }).waitFor();
    await page.close();
  });
});
