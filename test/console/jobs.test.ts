import { expect } from 'vitest';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Jobs', (context) => {
  longTest('the page Jobs is linked on Home, runs a job and shows its result, also after a reload', async () => {
    const page = await context.open('administrator', '');
    const counts = page.getByRole('main').getByRole('link');
    await eventually(async () => await counts.filter({ hasText: 'Failing webhooks' }).getAttribute('href')).toBe(
      '/console/webhooks',
    );
    await eventually(async () => await counts.filter({ hasText: 'Dead letters' }).getAttribute('href')).toBe(
      '/console/events?tab=dead-letters',
    );
    await counts.filter({ hasText: 'Failed jobs' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Expire promotions' });
    await row.getByRole('button', { name: 'Run now' }).click();
    await page.getByRole('status').filter({ hasText: 'runs in the background' }).waitFor();
    await row.getByText('Succeeded').waitFor({ timeout: 60_000 });
    await page.reload();
    await row.getByText('Succeeded').waitFor();
    await row.getByRole('img', { name: /^\d+ runs?, 0 failed$/ }).waitFor();
    const off = page.getByRole('row').filter({ hasText: 'Check links' });
    await off.getByText('Not scheduled on one machine').waitFor();
    await page.getByText('daily, every 20 minutes from 06:00 to 06:40 UTC').waitFor();
    await page.getByText('hourly from 01:10 to 05:10 UTC').waitFor();
    await page.getByText('on Mondays, every 20 minutes from 07:00 to 10:40 UTC').waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  longTest('the page Jobs shows why a job does not run, and runs it after Retry', async () => {
    const page = await context.open('administrator', '/jobs');
    const error = { error: 'Conflict', message: 'The job runs already.', code: 'IN_PROGRESS' };
    await page.route('**/api/admin/jobs/*/run', (route) => route.fulfill({ status: 409, json: error }), { times: 1 });
    const row = page.getByRole('row').filter({ hasText: 'Refresh trending' });
    await row.getByRole('button', { name: 'Run now' }).click();
    const alert = page.getByRole('alert').filter({ hasText: 'The job runs already.' });
    await alert.getByRole('button', { name: 'Retry' }).click();
    await page.getByRole('status').filter({ hasText: 'Refresh trending runs in the background' }).waitFor();
  });
});
