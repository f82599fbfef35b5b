import { expect, it } from 'vitest';
import { countEntries, findBatch } from '#data/batches.ts';
import { deleteCategory } from '#data/categories.ts';
import { userKey } from '#data/keys.ts';
import { insertProject } from '#data/projects.ts';
import { putItem } from '#data/write.ts';
import { newId } from '#platform/ids.ts';
import { createCategory } from '#services/categories/manage.ts';
import { propagateSlugChange } from '#services/categories/propagate-slug.ts';
import { newBatch } from '#services/projects/batches.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { unique } from '#test/support/fixtures.ts';
import { seeds } from '#test/support/sample.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';
import { simulateRevert } from './revert-simulation.ts';

const table = withBareTable();

it('reverting a batch restores exactly what it changed, although processes die between any two writes', async () => {
  for (const seed of seeds(72)) await simulateRevert(table, seed);
}, 1_200_000);

it('a batch that ran out of time tells how many projects it has changed', async () => {
  const owner_id = unique('usr');
  await putItem({ ...userKey(owner_id), type: 'user', id: owner_id, version: 1 });
  const category = await createCategory({ name: unique('removed') });
  const projects = Array.from({ length: 40 }, () =>
    project({ id: newId('prj'), owner_id, categories: [category.slug] }),
  );
  for (const one of projects) await insertProject({ ...one, slug: one.id }, origin, []);
  const batch = newBatch({ id: 'usr_1' }, 'category_removal', 'Delete a category');
  await deleteCategory(category, [], batch);
  const change = { from: category.slug, categoryId: category.id, batchId: batch.id };
  let changed = 0;
  for (let budgetMs = 20, isComplete = false; !isComplete; budgetMs += 20) {
    const part = await propagateSlugChange(change, { budgetMs, hasTask: false });
    changed += part.changed;
    isComplete = part.isComplete;
    expect((await findBatch(batch.id))?.counts?.updated ?? 0).toBe(changed);
  }
  expect(changed).toBe(projects.length);
  expect((await findBatch(batch.id))?.counts).toEqual(await countEntries(batch.id));
});
