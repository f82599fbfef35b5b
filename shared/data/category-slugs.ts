import { categorySlugKey } from './keys.ts';
import { findItems } from './read.ts';

/** Those of some category slugs that exist. */
export const existingCategories = async (slugs: readonly string[]): Promise<ReadonlySet<string>> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  return new Set(slugs.filter((_, position) => claims[position]?.state === 'held'));
};

/** Those of some category slugs that exist, in their order; a renamed one under the name that it was given. */
export const standingCategories = async (slugs: readonly string[]): Promise<readonly string[]> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  const now = slugs.flatMap((slug, position) => {
    const claim = claims[position];
    if (claim?.state === 'held') return slug;
    return claim?.state === 'leaving' && typeof claim.to === 'string' ? claim.to : [];
  });
  const existing = await existingCategories(now);
  return [...new Set(now.filter((slug) => existing.has(slug)))];
};
