import { categoryOf } from './category-items.ts';
import { categoryKey, categorySlugKey } from './keys.ts';
import { findItems } from './read.ts';

/** The ids of the categories that some slugs belong to; slugs of none are left out. */
export const categoryIds = async (slugs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  return new Map(
    slugs.flatMap((slug, position) => {
      const claim = claims[position];
      return claim?.state === 'held' ? [[slug, String(claim.category_id)]] : [];
    }),
  );
};

/** The slugs that some categories have now, in their order; categories that are gone are left out. */
export const categorySlugs = async (ids: readonly string[]): Promise<readonly string[]> => {
  const items = await findItems(ids.map(categoryKey));
  return items.flatMap((item) => (item ? [categoryOf(item).slug] : []));
};
