import type { CategoryRecord } from '#domain/categories/category.ts';
import { categoryKey, type Key } from './keys.ts';
import type { Item } from './read.ts';

/** How categories become items and items become categories again. */

/** The item of a category. */
export const categoryItem = (category: CategoryRecord): Item & Key => ({
  ...categoryKey(category.id),
  type: 'category',
  ...category,
});

const orNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** The category in an item. @throws when the item lacks what no category can be without. */
export const categoryOf = (item: Item): CategoryRecord => {
  const { id, slug, name } = item;
  if (typeof id !== 'string' || typeof slug !== 'string' || typeof name !== 'string') {
    throw new Error(`The item ${String(item.sk)} is not a category.`);
  }
  return {
    id,
    slug,
    name,
    sphere: orNull(item.sphere),
    description: orNull(item.description),
    icon: orNull(item.icon),
    color: orNull(item.color),
    sort_order: Number(item.sort_order),
    created_at: String(item.created_at),
    updated_at: String(item.updated_at),
    version: Number(item.version),
  };
};
