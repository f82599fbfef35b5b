import type { Message } from '#events/catalogue.ts';
import type { BatchRecord } from '#model/batch.ts';
import type { CategoryRecord } from '#model/category.ts';
import { DAY_SECONDS } from '#model/days.ts';
import { elapsed, moment, NEVER, secondsFromNow } from '#platform/clock.ts';
import { conflict } from '#shared/errors.ts';
import { batchInsertion } from './batches.ts';
import { ConflictError } from './conflict.ts';
import { inOutbox } from './event-log.ts';
import {
  categoriesPartition,
  categoryKey,
  categoryPrefix,
  categorySlugKey,
  categorySlugPrefix,
  categoryTombstoneKey,
  type Key,
} from './keys.ts';
import { findItem, findItems, findItemsBy, findRecord, type Item, wholeCollection } from './read.ts';
import {
  absent,
  type Condition,
  deleteItem,
  either,
  every,
  exists,
  is,
  lastWriteAt,
  transact,
  updateItem,
  type Write,
} from './write.ts';

export const categoryItem = (category: CategoryRecord): Item & Key => ({
  ...categoryKey(category.id),
  type: 'category',
  ...category,
});

const orNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/** @throws Error when `id`, `slug` or `name` is missing. */
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

/** Reads all categories, strongly consistent; there are some dozens. */
export const allCategories = async (): Promise<CategoryRecord[]> => {
  const items = await wholeCollection({ partition: categoriesPartition, prefix: categoryPrefix });
  return items.map(categoryOf);
};

/** How long the spheres are cached, in milliseconds; a write of this process invalidates them. */
const SPHERES_TTL_MS = 1000;

let sphereOfCategory: ReadonlyMap<string, string> = new Map();
let readAt = NEVER;

/** The distinct spheres of some categories, in their order. */
export const spheresOf = async (categories: readonly string[]): Promise<string[]> => {
  const startedAt = moment();
  if (elapsed(readAt, startedAt) > SPHERES_TTL_MS || lastWriteAt() > readAt.monotonic) {
    const all = await allCategories();
    sphereOfCategory = new Map(all.flatMap(({ slug, sphere }) => (sphere === null ? [] : [[slug, sphere]])));
    readAt = startedAt;
  }
  return [...new Set(categories.flatMap((slug) => sphereOfCategory.get(slug) ?? []))];
};

const categoryById = (id: string) => findRecord(categoryKey(id), categoryOf);

/** Finds a category by id or slug, strongly consistent. */
export const findCategory = async (reference: string): Promise<CategoryRecord | undefined> => {
  if (reference.startsWith('cat_')) return await categoryById(reference);
  const claim = await findItem(categorySlugKey(reference));
  return claim?.state === 'held' ? await categoryById(String(claim.category_id)) : undefined;
};

/** The category with an id or, after any number of merges, the one that it was merged into. */
export const findCurrentCategory = async (id: string): Promise<CategoryRecord | undefined> => {
  for (let next = id; ; ) {
    const category = await categoryById(next);
    if (category) return category;
    const into = (await findItem(categoryTombstoneKey(next)))?.into;
    if (typeof into !== 'string') return undefined;
    next = into;
  }
};

/** The claim of a slug whose category was merged into another. It stays, so that the slug stands for the other category. */
const isAlias = is('state', 'alias');

/** Finds the category that replaced the one with a slug by merging. */
export const findCategoryByAlias = async (slug: string): Promise<CategoryRecord | undefined> => {
  const claim = await findItem(categorySlugKey(slug));
  return claim?.state === 'alias' ? await findCurrentCategory(String(claim.category_id)) : undefined;
};

/**
 * A slug that its category no longer uses. Its claim stays while projects still carry the slug: otherwise they would be
 * counted under a new category with the same slug. The claim of a merged category stays for good.
 */
interface RetiredSlug {
  readonly categoryId: string;
  readonly isAlias: boolean;
  /** The batch of a removal or merge that has not ended. */
  readonly batchId?: string;
}

export const findRetiredSlug = async (slug: string): Promise<RetiredSlug | undefined> => {
  const claim = await findItem(categorySlugKey(slug));
  if (claim?.state !== 'leaving' && claim?.state !== 'alias') return undefined;
  return {
    categoryId: String(claim.category_id),
    isAlias: claim.state === 'alias',
    ...(typeof claim.batch_id === 'string' && { batchId: claim.batch_id }),
  };
};

const allClaims = (): Promise<Item[]> =>
  wholeCollection({ partition: categoriesPartition, prefix: categorySlugPrefix });

const slugOfClaim = ({ sk }: Item): string => String(sk).slice(categorySlugPrefix.length);

/** Lists the slugs that projects may still carry although their categories no longer use them. */
export const retiredSlugs = async (): Promise<string[]> =>
  (await allClaims())
    .filter(({ state, batch_id }) => state === 'leaving' || (state === 'alias' && batch_id !== undefined))
    .map(slugOfClaim);

const currentSlugOf = async (claim: Item): Promise<string | undefined> => {
  if (claim.state === 'held') return slugOfClaim(claim);
  return claim.state === 'alias' ? (await findCurrentCategory(String(claim.category_id)))?.slug : undefined;
};

/** A category that was merged into another one. */
export interface MergedCategory {
  readonly slug: string;
  /** Undefined for one that an earlier version of the service has merged. */
  readonly name: string | undefined;
  /** The slug of the category that replaced it; null once that is deleted. */
  readonly current: string | null;
}

export const mergedCategories = async (): Promise<MergedCategory[]> => {
  const aliases = (await allClaims()).filter(({ state }) => state === 'alias');
  return await Promise.all(
    aliases.map(async (claim) => ({
      slug: slugOfClaim(claim),
      name: orNull(claim.name) ?? undefined,
      current: (await currentSlugOf(claim)) ?? null,
    })),
  );
};

/** Returns the current slug by slug: another one for that of a merged category, none for slugs that belong to no category. */
export const currentCategorySlugs = async (slugs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  const current = await Promise.all(claims.map(async (claim) => claim && (await currentSlugOf(claim))));
  return new Map(slugs.flatMap((slug, position) => (current[position] ? [[slug, current[position]]] : [])));
};

const retiredBy = (categoryId: string): Condition =>
  every(either(is('state', 'leaving'), isAlias), is('category_id', categoryId));

/** Records that no project carries a retired slug. Does nothing when another category has claimed the slug. */
export const endRetirement = async (slug: string, { categoryId, isAlias: stays }: RetiredSlug): Promise<void> => {
  const key = categorySlugKey(slug);
  if (stays) await updateItem(key, { remove: ['batch_id'] }, retiredBy(categoryId));
  else await deleteItem(key, retiredBy(categoryId));
};

const retireSlug = (category: CategoryRecord, state: 'leaving' | 'alias', batchId?: string): Write => ({
  put: {
    ...categorySlugKey(category.slug),
    type: 'categorySlug',
    category_id: category.id,
    state,
    ...(state === 'alias' && { name: category.name }),
    ...(batchId !== undefined && { batch_id: batchId }),
  },
});

/** Another category has claimed a retired slug; projects that carry the slug belong to that category. */
export class SlugReclaimed extends Error {
  override readonly name = 'SlugReclaimed';
}

/** Fails a transaction with `SlugReclaimed` when a category other than this one has claimed the slug. */
export const notReclaimed = (slug: string, categoryId: string): Write => ({
  check: categorySlugKey(slug),
  when: either(absent, retiredBy(categoryId)),
  orElse: () => new SlugReclaimed(`Another category has claimed the slug "${slug}".`),
});

const claimSlug = (category: CategoryRecord): Write => ({
  put: { ...categorySlugKey(category.slug), type: 'categorySlug', category_id: category.id, state: 'held' },
  when: either(absent, is('state', 'leaving')),
  orElse: () => conflict('CATEGORY_EXISTS', `The slug "${category.slug}" belongs to another category.`),
});

/** @throws 409 CATEGORY_EXISTS when the slug is taken. */
export const insertCategory = async (category: CategoryRecord): Promise<void> => {
  await transact([{ put: categoryItem(category), inFeed: true, when: absent }, claimSlug(category)]);
};

/** A category changed after it was read. */
class CategoryChanged extends ConflictError {
  override readonly name = 'CategoryChanged';
}

/**
 * Replaces categories in one transaction.
 * @throws {CategoryChanged} when the stored version of one differs from `previous`.
 * @throws 409 CATEGORY_EXISTS when a new slug is taken.
 */
export const replaceCategories = async (
  steps: readonly { readonly previous: CategoryRecord; readonly next: CategoryRecord }[],
  messages: readonly Message[],
): Promise<void> => {
  await transact([
    ...steps.flatMap(({ previous, next }): Write[] => [
      {
        put: categoryItem(next),
        inFeed: true,
        when: every(exists, is('version', previous.version)),
        orElse: () => new CategoryChanged(`The category ${next.id} was changed concurrently.`),
      },
      ...(previous.slug === next.slug ? [] : [claimSlug(next), retireSlug(previous, 'leaving')]),
    ]),
    ...messages.map(inOutbox),
  ]);
};

/** How long the feed keeps a deletion, in seconds: longer than any replica goes without reading the feed. */
const TOMBSTONE_SECONDS = DAY_SECONDS;

const categoryDeletion = (category: CategoryRecord, tombstone: Item): Write[] => [
  {
    delete: categoryKey(category.id),
    when: every(exists, is('version', category.version)),
    orElse: () => new CategoryChanged(`The category ${category.id} was changed concurrently.`),
  },
  {
    put: {
      ...categoryTombstoneKey(category.id),
      type: 'categoryRemoved',
      category_id: category.id,
      version: category.version,
      ...tombstone,
    },
    inFeed: true,
  },
];

/**
 * Deletes a category as a batch and retires its slug. The task in `messages` removes the slug from projects.
 * @throws {CategoryChanged} when it was changed or deleted since it was read.
 */
export const deleteCategory = async (
  category: CategoryRecord,
  messages: readonly Message[],
  batch: BatchRecord,
): Promise<void> => {
  await transact([
    ...categoryDeletion(category, { ttl: secondsFromNow(TOMBSTONE_SECONDS) }),
    retireSlug(category, 'leaving', batch.id),
    batchInsertion(batch),
    ...messages.map(inOutbox),
  ]);
};

/**
 * Deletes a category as a batch and lets its slug stand for another category. The task in `messages` replaces the slug on
 * projects. Of two concurrent merges in opposite directions one fails.
 * @throws {CategoryChanged} when it was changed since it was read, or one of the two was deleted.
 */
export const mergeCategory = async (
  category: CategoryRecord,
  into: CategoryRecord,
  messages: readonly Message[],
  batch: BatchRecord,
): Promise<void> => {
  await transact([
    // The tombstone stays, because it says what replaced the category.
    ...categoryDeletion(category, { slug: category.slug, into: into.id }),
    retireSlug(category, 'alias', batch.id),
    {
      check: categoryKey(into.id),
      when: exists,
      orElse: () => new CategoryChanged(`The category ${into.id} was deleted concurrently.`),
    },
    batchInsertion(batch),
    ...messages.map(inOutbox),
  ]);
};

/**
 * The writes that create a deleted or merged category again, with its id and slug.
 * They fail with 409 CATEGORY_EXISTS when the slug belongs to another category.
 */
export const categoryRecreation = (category: CategoryRecord, at: string): Write[] => {
  // Replicas know up to which version it was deleted.
  const next = { ...category, updated_at: at, version: category.version + 1 };
  return [
    { put: categoryItem(next), inFeed: true, when: absent },
    { delete: categoryTombstoneKey(next.id) },
    { ...claimSlug(next), when: either(absent, every(isAlias, is('category_id', next.id))) },
  ];
};

export const missingCategories = async (slugs: readonly string[]): Promise<string[]> => {
  const claims = await findItemsBy(slugs, categorySlugKey);
  return slugs.filter((slug) => claims.get(slug)?.state !== 'held');
};

/** Returns category ids by slug, without slugs that belong to no category. */
export const categoryIds = async (slugs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const claims = await findItemsBy(slugs, categorySlugKey);
  const held = [...claims].filter(([, { state }]) => state === 'held');
  return new Map(held.map(([slug, { category_id }]) => [slug, String(category_id)]));
};

/** Returns the current slugs of categories in the order of `ids`, also of merged ones, without deleted categories. */
export const categorySlugs = async (ids: readonly string[]): Promise<readonly string[]> => {
  const categories = await Promise.all(ids.map(findCurrentCategory));
  return [...new Set(categories.flatMap((category) => category?.slug ?? []))];
};
