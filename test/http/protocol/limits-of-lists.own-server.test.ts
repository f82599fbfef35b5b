import { expect, it } from 'vitest';
import { CATEGORIES_MAX } from '#contract/categories.ts';
import { SAVED_REPLIES_MAX } from '#contract/saved-replies.ts';
import { insertCategory } from '#data/categories.ts';
import { savedReplies } from '#data/saved-replies.ts';
import type { UserRecord } from '#model/user.ts';
import { newId } from '#platform/ids.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { importProjects } from '#services/imports/import-rows.ts';
import { category } from '#test/catalog/fixtures.ts';
import { conflict, dataOf, success, unique } from '#test/support/fixtures.ts';
import { csv } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Lists that one response has whole. */

const { directory } = await ownDirectory();

const CATEGORIES = '/api/admin/categories';
const REPLIES = '/api/admin/replies';

const countOf = async (path: string): Promise<number> =>
  dataOf<readonly unknown[]>(await directory.get(path, directory.admin)).length;

/** The numbers of what is missing to all but one of a list. */
const numbersUntil = async (max: number, path: string): Promise<readonly number[]> =>
  Array.from({ length: max - 1 - (await countOf(path)) }, (_, at) => at);

it('there are as many categories as one response lists: neither a request nor an import creates more', async () => {
  // Two thousand connections at once are not established in time on a busy machine.
  await mapConcurrently(await numbersUntil(CATEGORIES_MAX, '/api/categories'), (number) =>
    insertCategory(category({ id: newId('cat'), slug: `c-${number}`, name: `C ${number}` })),
  );
  const create = (name: string) => directory.asAdmin('POST', CATEGORIES, { name });
  const last = await create('The last one');
  expect(last).toMatchObject(success({ slug: 'the-last-one' }, 201));
  expect(await create('One more')).toMatchObject(conflict('LIMIT_REACHED'));
  const importRow = async (categories: string) => {
    const file = csv(
      ['name', 'categories', 'url'],
      [`Of ${categories}`, categories, `https://${unique('row')}.example`],
    );
    const columns = { name: 'name', categories: 'categories', url: 'url' };
    const mapping = { columns, defaults: { description: 'A row.' }, create_categories: true };
    const admin = { id: directory.admin.id, is_admin: true } as UserRecord;
    return await importProjects(admin, { file, mapping: JSON.stringify(mapping) }, { budgetMs: 20_000 });
  };
  expect(await importRow('One more')).toMatchObject({
    ...{ created: 0, failed: 1 },
    errors: [{ message: `categories: there are at most ${CATEGORIES_MAX} categories` }],
  });
  expect(await importRow('The last one')).toMatchObject({ created: 1, failed: 0 });
  await directory.adminOk('DELETE', `${CATEGORIES}/${dataOf<{ id: string }>(last).id}`);
  expect(await importRow('One more')).toMatchObject({ created: 1, failed: 0 });
  expect(await create('Another')).toMatchObject(conflict('LIMIT_REACHED'));
  expect(await countOf('/api/categories')).toBe(CATEGORIES_MAX);
});

it('there are as many saved replies as one response lists, and a repeated request gets the one that it has created', async () => {
  const reply = (number: number) => ({ id: newId('rpl'), name: `Reply ${number}`, text: 'Thanks.', version: 1 });
  await mapConcurrently(await numbersUntil(SAVED_REPLIES_MAX, REPLIES), (number) => savedReplies.insert(reply(number)));
  const create = (name: string, key: string) =>
    directory.as(directory.admin, 'POST', REPLIES, { name, text: 'Thanks.' }, { 'idempotency-key': key });
  const last = await create('The last one', 'the-key-of-the-last');
  expect(last).toMatchObject(success({ name: 'The last one' }, 201));
  expect(dataOf(await create('The last one', 'the-key-of-the-last'))).toEqual(dataOf(last));
  expect(await create('One more', 'another-key-of-one-more')).toMatchObject(conflict('LIMIT_REACHED'));
  expect(await countOf(REPLIES)).toBe(SAVED_REPLIES_MAX);
});
