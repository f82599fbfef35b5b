import type { CategoryRecord } from '#domain/categories/category.ts';
import type { Message } from '#events/catalogue.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { conflict } from '#shared/errors.ts';
import { categoryItem, categoryOf } from './category-items.ts';
import { absent, either, every, exists, is } from './conditions.ts';
import {
  categoriesPartition,
  categoryKey,
  categoryPrefix,
  categorySlugKey,
  categorySlugPrefix,
  categoryTombstoneKey,
} from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, findItems, wholeCollection } from './read.ts';
import { removeItem, transact, type Write } from './write.ts';

/** All categories, the newest state. There are some dozens, so they are read together. */
export const allCategories = async (): Promise<CategoryRecord[]> => {
  const items = await wholeCollection({ partition: categoriesPartition, prefix: categoryPrefix });
  return items.map(categoryOf);
};

/** A category by id or slug; the newest state. */
export const findCategory = async (reference: string): Promise<CategoryRecord | undefined> => {
  if (reference.startsWith('cat_')) return await categoryById(reference);
  const claim = await findItem(categorySlugKey(reference));
  return claim?.state === 'held' ? await categoryById(String(claim.category_id)) : undefined;
};

const categoryById = async (id: string): Promise<CategoryRecord | undefined> => {
  const item = await findItem(categoryKey(id));
  return item && categoryOf(item);
};

/**
 * A slug that its category has given up stays claimed while projects still carry it: a new category of that slug must not
 * have its projects taken for those of the old one.
 */
export interface LeavingSlug {
  readonly categoryId: string;
  /** What its category is called now, however often it was renamed since; null when it is gone. */
  readonly to: string | null;
}

/** Whether a slug is on its way out, and to what. */
export const findLeavingSlug = async (slug: string): Promise<LeavingSlug | undefined> => {
  const claim = await findItem(categorySlugKey(slug));
  if (claim?.state !== 'leaving') return undefined;
  const categoryId = String(claim.category_id);
  return { categoryId, to: (await categoryById(categoryId))?.slug ?? null };
};

/** Slugs that their categories have given up, and that are not free yet. */
export const leavingSlugs = async (): Promise<string[]> => {
  const claims = await wholeCollection({ partition: categoriesPartition, prefix: categorySlugPrefix });
  return claims.filter(({ state }) => state === 'leaving').map(({ sk }) => String(sk).slice(categorySlugPrefix.length));
};

/** Gives a slug free when no project carries it any more; somebody else may have taken it over already. */
export const releaseSlug = async (slug: string, categoryId: string): Promise<void> => {
  await removeItem(categorySlugKey(slug), every(is('state', 'leaving'), is('category_id', categoryId)));
};

const giveUpSlug = (category: CategoryRecord): Write => ({
  put: { ...categorySlugKey(category.slug), type: 'categorySlug', category_id: category.id, state: 'leaving' },
});

/** Another category has taken the slug over, and the projects that carry it are that one's now. */
export class SlugTakenOver extends Error {
  override readonly name = 'SlugTakenOver';
}

/** The condition of carrying a change over: the slug has not come to belong to another category meanwhile. */
export const isNobodyElses = (slug: string, categoryId: string): Write => ({
  check: categorySlugKey(slug),
  when: either(absent, every(is('state', 'leaving'), is('category_id', categoryId))),
  orElse: () => new SlugTakenOver(slug),
});

const claimSlug = (category: CategoryRecord): Write => ({
  put: { ...categorySlugKey(category.slug), type: 'categorySlug', category_id: category.id, state: 'held' },
  when: either(absent, is('state', 'leaving')),
  orElse: () => conflict('CATEGORY_EXISTS', `The slug "${category.slug}" belongs to another category.`),
});

/** Stores a new category. @throws 409 when its slug is taken. */
export const insertCategory = async (category: CategoryRecord): Promise<void> => {
  await transact([{ put: categoryItem(category), inFeed: true, when: absent }, claimSlug(category)]);
};

/** Somebody else changed a category since it was read. */
export class CategoryChanged extends Error {
  override readonly name = 'CategoryChanged';
}

/** A category before and after. */
export interface CategoryStep {
  readonly previous: CategoryRecord;
  readonly next: CategoryRecord;
}

/**
 * Stores the next states of categories, all or none.
 * @throws {CategoryChanged} when one is not as `previous` any more; 409 when a new slug is taken.
 */
export const replaceCategories = async (
  steps: readonly CategoryStep[],
  messages: readonly Message[],
): Promise<void> => {
  await transact([
    ...steps.flatMap(({ previous, next }): Write[] => [
      {
        put: categoryItem(next),
        inFeed: true,
        when: every(exists, is('version', previous.version)),
        orElse: () => new CategoryChanged(next.id),
      },
      ...(previous.slug === next.slug ? [] : [claimSlug(next), giveUpSlug(previous)]),
    ]),
    ...messages.map(inOutbox),
  ]);
};

/** How long the feed remembers that a category is gone, in seconds; longer than any reader goes without looking. */
const TOMBSTONE_SECONDS = 86_400;

/**
 * Removes a category; projects lose its slug by the task in `messages`.
 * @throws {CategoryChanged} when it is gone, or has another slug by now.
 */
export const removeCategory = async (category: CategoryRecord, messages: readonly Message[]): Promise<void> => {
  await transact([
    {
      remove: categoryKey(category.id),
      when: every(exists, is('slug', category.slug)),
      orElse: () => new CategoryChanged(category.id),
    },
    giveUpSlug(category),
    {
      put: {
        ...categoryTombstoneKey(category.id),
        type: 'categoryRemoved',
        category_id: category.id,
        ttl: secondsFromNow(TOMBSTONE_SECONDS),
      },
      inFeed: true,
    },
    ...messages.map(inOutbox),
  ]);
};

/** Which of some slugs belong to no category. */
export const missingCategories = async (slugs: readonly string[]): Promise<string[]> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  return slugs.filter((_, position) => claims[position]?.state !== 'held');
};
