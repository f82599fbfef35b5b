import type { Message } from '#events/catalogue.ts';
import type { BatchRecord } from '#model/batch.ts';
import type { CategoryRecord } from '#model/category.ts';
import { elapsed, moment, NEVER, secondsFromNow } from '#platform/clock.ts';
import { conflict } from '#shared/errors.ts';
import { batchInsertion } from './batches.ts';
import { ConflictError } from './conflict.ts';
import {
  categoriesPartition,
  categoryKey,
  categoryPrefix,
  categorySlugKey,
  categorySlugPrefix,
  categoryTombstoneKey,
  type Key,
} from './keys.ts';
import { inOutbox } from './outbox.ts';
import { findItem, findItems, type Item, wholeCollection } from './read.ts';
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

const categoryById = async (id: string): Promise<CategoryRecord | undefined> => {
  const item = await findItem(categoryKey(id));
  return item && categoryOf(item);
};

/** Finds a category by id or slug, strongly consistent. */
export const findCategory = async (reference: string): Promise<CategoryRecord | undefined> => {
  if (reference.startsWith('cat_')) return await categoryById(reference);
  const claim = await findItem(categorySlugKey(reference));
  return claim?.state === 'held' ? await categoryById(String(claim.category_id)) : undefined;
};

/**
 * A slug that its category no longer uses. Its claim stays, in the state `leaving`, while projects still carry the
 * slug: otherwise they would be counted under a new category with the same slug.
 */
interface RetiredSlug {
  readonly categoryId: string;
  /** The current slug of the category, after any number of renames; null when the category is deleted. */
  readonly to: string | null;
  /** The batch of the removal. */
  readonly batchId?: string;
}

export const findRetiredSlug = async (slug: string): Promise<RetiredSlug | undefined> => {
  const claim = await findItem(categorySlugKey(slug));
  if (claim?.state !== 'leaving') return undefined;
  const categoryId = String(claim.category_id);
  return {
    categoryId,
    to: (await categoryById(categoryId))?.slug ?? null,
    ...(typeof claim.batch_id === 'string' && { batchId: claim.batch_id }),
  };
};

/** Lists the slugs that are retired and not deleted yet. */
export const retiredSlugs = async (): Promise<string[]> => {
  const claims = await wholeCollection({ partition: categoriesPartition, prefix: categorySlugPrefix });
  return claims.filter(({ state }) => state === 'leaving').map(({ sk }) => String(sk).slice(categorySlugPrefix.length));
};

const retiredBy = (categoryId: string): Condition => every(is('state', 'leaving'), is('category_id', categoryId));

/** Deletes the claim of a retired slug, unless another category has claimed the slug. */
export const deleteRetiredSlug = async (slug: string, categoryId: string): Promise<void> => {
  await deleteItem(categorySlugKey(slug), retiredBy(categoryId));
};

const retireSlug = (category: CategoryRecord, batchId?: string): Write => ({
  put: {
    ...categorySlugKey(category.slug),
    type: 'categorySlug',
    category_id: category.id,
    state: 'leaving',
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
      ...(previous.slug === next.slug ? [] : [claimSlug(next), retireSlug(previous)]),
    ]),
    ...messages.map(inOutbox),
  ]);
};

/** How long the feed keeps a deletion, in seconds: longer than any replica goes without reading the feed. */
const TOMBSTONE_SECONDS = 86_400;

/**
 * Deletes a category as a batch and retires its slug. The task in `messages` removes the slug from projects.
 * @throws {CategoryChanged} when it was changed or deleted since it was read.
 */
export const deleteCategory = async (
  category: CategoryRecord,
  messages: readonly Message[],
  batch?: BatchRecord,
): Promise<void> => {
  await transact([
    {
      delete: categoryKey(category.id),
      when: every(exists, is('version', category.version)),
      orElse: () => new CategoryChanged(`The category ${category.id} was changed concurrently.`),
    },
    retireSlug(category, batch?.id),
    ...(batch ? [batchInsertion(batch)] : []),
    {
      put: {
        ...categoryTombstoneKey(category.id),
        type: 'categoryRemoved',
        category_id: category.id,
        version: category.version,
        ttl: secondsFromNow(TOMBSTONE_SECONDS),
      },
      inFeed: true,
    },
    ...messages.map(inOutbox),
  ]);
};

/**
 * The writes that create a deleted category again, with its id and slug.
 * They fail with 409 CATEGORY_EXISTS when the slug belongs to another category.
 */
export const categoryRecreation = (category: CategoryRecord, at: string): Write[] => {
  // Replicas know up to which version it was deleted.
  const next = { ...category, updated_at: at, version: category.version + 1 };
  return [
    { put: categoryItem(next), inFeed: true, when: absent },
    { delete: categoryTombstoneKey(next.id) },
    { ...claimSlug(next), when: absent },
  ];
};

/** Returns the slugs that belong to no category. */
export const missingCategories = async (slugs: readonly string[]): Promise<string[]> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  return slugs.filter((_, position) => claims[position]?.state !== 'held');
};

/** Returns category ids by slug, without slugs that belong to no category. */
export const categoryIds = async (slugs: readonly string[]): Promise<ReadonlyMap<string, string>> => {
  const claims = await findItems(slugs.map(categorySlugKey));
  return new Map(
    slugs.flatMap((slug, position) => {
      const claim = claims[position];
      return claim?.state === 'held' ? [[slug, String(claim.category_id)]] : [];
    }),
  );
};

/** Returns the current slugs of categories in the order of `ids`, without deleted categories. */
export const categorySlugs = async (ids: readonly string[]): Promise<readonly string[]> => {
  const items = await findItems(ids.map(categoryKey));
  return items.flatMap((item) => (item ? [categoryOf(item).slug] : []));
};
