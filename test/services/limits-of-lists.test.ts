import { expect, it } from 'vitest';
import { CATEGORIES_MAX } from '#contract/categories.ts';
import { SAVED_REPLIES_MAX } from '#contract/saved-replies.ts';
import { insertCategory } from '#data/categories.ts';
import { savedReplies } from '#data/saved-replies.ts';
import type { UserRecord } from '#model/user.ts';
import { newId } from '#platform/ids.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { createSavedReply, listSavedReplies } from '#services/admin/saved-replies.ts';
import { createCategory, removeCategory } from '#services/categories/manage.ts';
import { importProjects } from '#services/imports/import-rows.ts';
import { category } from '#test/catalog/fixtures.ts';
import { unique } from '#test/support/fixtures.ts';
import { csv } from '#test/support/uploads.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

/** Lists that one response has whole. */

withBareTable();

const admin = { id: 'usr_admin', is_admin: true } as UserRecord;
const LIMIT_REACHED = { status: 409, code: 'LIMIT_REACHED' };

it('there are as many categories as one response lists: neither a request nor an import creates more', async () => {
  const count = CATEGORIES_MAX - 1;
  const numbers = Array.from({ length: count }, (_, at) => at);
  // Two thousand connections at once are not established in time on a busy machine.
  await mapConcurrently(numbers, (number) =>
    insertCategory(category({ id: newId('cat'), slug: `c-${number}`, name: `C ${number}` })),
  );
  const last = await createCategory({ name: 'The last one' });
  await expect(createCategory({ name: 'One more' })).rejects.toMatchObject(LIMIT_REACHED);
  const importRow = async (categories: string) => {
    const file = csv(
      ['name', 'categories', 'url'],
      [`Of ${categories}`, categories, `https://${unique('row')}.example`],
    );
    const columns = { name: 'name', categories: 'categories', url: 'url' };
    const mapping = { columns, defaults: { description: 'A row.' }, create_categories: true };
    return await importProjects(admin, { file, mapping: JSON.stringify(mapping) }, { budgetMs: 20_000 });
  };
  expect(await importRow('One more')).toMatchObject({
    ...{ created: 0, failed: 1 },
    errors: [{ message: `categories: there are at most ${CATEGORIES_MAX} categories` }],
  });
  expect(await importRow('The last one')).toMatchObject({ created: 1, failed: 0 });
  await removeCategory(admin, last.id);
  expect(await importRow('One more')).toMatchObject({ created: 1, failed: 0 });
  await expect(createCategory({ name: 'Another' })).rejects.toMatchObject(LIMIT_REACHED);
});

it('there are as many saved replies as one response lists, and a repeated request gets the one that it has created', async () => {
  const reply = (number: number) => ({ id: newId('rpl'), name: `Reply ${number}`, text: 'Thanks.', version: 1 });
  const numbers = Array.from({ length: SAVED_REPLIES_MAX - 1 }, (_, at) => at);
  await mapConcurrently(numbers, (number) => savedReplies.insert(reply(number)));
  const body = { name: 'The last one', text: 'Thanks.' };
  const last = await createSavedReply(body, 'seed');
  expect(await createSavedReply(body, 'seed')).toEqual(last);
  await expect(createSavedReply(body, 'another')).rejects.toMatchObject(LIMIT_REACHED);
  expect(await listSavedReplies()).toHaveLength(SAVED_REPLIES_MAX);
});
