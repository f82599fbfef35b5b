import { beforeAll, expect } from 'vitest';
import { dataOf, type Person, person, type Submitted, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { violationsOf } from './axe.ts';
import { describeInBrowser, eventually } from './browser.ts';

describeInBrowser('the page Comments', (context) => {
  let author: Person;
  let listing: Submitted;

  beforeAll(async () => {
    author = await person(context.server, { name: unique('Author') });
    listing = await context.directory.live(author, { name: unique('Commented') });
  });

  const add = async (content: string) => {
    await context.directory.ok(author, 'POST', `/api/projects/${listing.id}/comments`, { content }, 201);
    return content;
  };
  const visible = async () =>
    dataOf<{ content: string }[]>(await context.directory.get(`/api/projects/${listing.id}/comments`)).map(
      ({ content }) => content,
    );

  longTest(
    'the page Comments hides and shows a comment by button and key, undoes it, and deletes one, also after a reload',
    async () => {
      const [older, newer] = [await add(unique('older')), await add(unique('newer'))];
      const page = await context.open('administrator', `/comments?user=${author.id}`);
      const row = (text: string) => page.getByRole('listitem').filter({ hasText: text });
      await row(older).waitFor();
      const contents = await page.getByRole('list', { name: 'Comments' }).getByRole('listitem').allTextContents();
      expect(contents.findIndex((text) => text.includes(newer))).toBeLessThan(
        contents.findIndex((text) => text.includes(older)),
      );

      await row(newer).getByRole('button', { name: 'Hide' }).click();
      await row(newer).getByRole('button', { name: 'Show' }).waitFor();
      expect(await visible()).not.toContain(newer);
      await page.reload();
      await row(newer).getByRole('button', { name: 'Show' }).waitFor();
      await page.keyboard.press('j');
      await page.keyboard.press('h');
      await row(newer).getByRole('button', { name: 'Hide' }).waitFor();
      expect(await visible()).toContain(newer);
      await page.keyboard.press('z');
      await row(newer).getByRole('button', { name: 'Show' }).waitFor();

      await row(older).getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await row(older).waitFor({ state: 'detached' });
      expect(await visible()).not.toContain(older);
    },
  );

  longTest('the page Comments lets a moderator hide but not delete, without a violation that axe finds', async () => {
    const content = await add(unique('comment'));
    const page = await context.open('moderator', `/comments?project=${listing.id}`);
    const row = page.getByRole('listitem').filter({ hasText: content });
    await row.getByRole('button', { name: 'Hide' }).click();
    await row.getByRole('button', { name: 'Show' }).waitFor();
    await eventually(async () => await row.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(await violationsOf(page)).toEqual([]);
  });
});
