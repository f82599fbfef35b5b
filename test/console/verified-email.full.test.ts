import { expect, it } from 'vitest';
import { person } from '#test/support/fixtures.ts';
import { violationsOf } from './axe.ts';
import { beginSession, describeInBrowser, isTooWide } from './browser.ts';

/** The form of a submission while every write needs a verified email address. */

describeInBrowser(
  'the form of a submission, to a user without a verified email address',
  (context) => {
    it.each([
      ['en-US', '/submit', 'Name', 'Submit for review', 'This needs a verified email address.'],
      [
        'de-DE',
        '/de/submit',
        'Name',
        'Zur Prüfung einreichen',
        'Dafür braucht dein Konto eine bestätigte E-Mail-Adresse.',
      ],
    ])(
      'says what is needed before anything is typed, and keeps what is typed (%s)',
      async (locale, path, label, button, text) => {
        const page = await context.browser.newPage({
          locale,
          timezoneId: 'UTC',
          viewport: { width: 320, height: 700 },
        });
        page.setDefaultTimeout(90_000);
        const url = `http://localhost:${context.server.server.port}${path}`;
        const name = page.getByLabel(label, { exact: true });
        await page.goto(url);
        await name.waitFor();
        expect(await page.getByText(text).count()).toBe(0);
        await beginSession(page, await person(context.server, { email_verified: false }));
        await page.goto(url);
        await page.getByText(text).waitFor();
        await name.fill('Kept');
        await page.getByRole('button', { name: button }).click();
        await page.getByRole('alert').filter({ hasText: text }).waitFor();
        expect(await violationsOf(page)).toEqual([]);
        expect(await isTooWide(page)).toBe(false);
        await page.reload();
        await name.waitFor();
        expect(await name.inputValue()).toBe('Kept');
        await page.close();
      },
    );
  },
  { VERIFIED_EMAIL_REQUIRED: 'write', SITE_LANGUAGES: 'en,de' },
);
