import { COLLECTIONS_MAX, type Collection } from '#contract/collections.ts';
import { conflict } from '#shared/errors.ts';
import {
  collectionCountKey,
  collectionKey,
  collectionPrefix,
  collectionSlugKey,
  collectionsPartition,
  projectKey,
} from './keys.ts';
import { findItem, findItemsBy, type Item, recordOf, wholeCollection } from './read.ts';
import { absent, either, every, exists, is, isBelow, transact, tryTransact, type Write } from './write.ts';

/** A collection as stored. `version` increases with every write. */
export interface CollectionRecord extends Omit<Collection, 'project_count' | 'project_ids'> {
  readonly project_ids: readonly string[];
  /** The slugs that it had before, the oldest first; they stay its own. */
  readonly earlier_slugs: readonly string[];
  readonly version: number;
}

/** A collection keeps as many earlier slugs. */
export const EARLIER_SLUGS_MAX = 50;

const itemOf = (record: CollectionRecord): Item & { pk: string; sk: string } => ({
  ...collectionKey(record.id),
  type: 'collection',
  ...record,
});

const collectionOf = (item: Item): CollectionRecord => recordOf<CollectionRecord>(item);

/** All collections by `sort_order`, then title. */
export const allCollections = async (): Promise<CollectionRecord[]> => {
  const items = await wholeCollection({ partition: collectionsPartition, prefix: collectionPrefix });
  return items
    .map(collectionOf)
    .toSorted(
      (one, other) =>
        one.sort_order - other.sort_order || one.title.localeCompare(other.title, 'en') || (one.id < other.id ? -1 : 1),
    );
};

/** A collection by id, slug or earlier slug. */
export const findCollection = async (reference: string): Promise<CollectionRecord | undefined> => {
  const claim = reference.includes('_') ? undefined : await findItem(collectionSlugKey(reference));
  const id = claim ? String(claim.collection_id) : reference;
  const item = await findItem(collectionKey(id));
  // A key of the table can be derived from a part of the id.
  return item?.id === id ? collectionOf(item) : undefined;
};

/** Those of the slugs that a collection has or had. */
export const takenCollectionSlugs = async (slugs: readonly string[]): Promise<ReadonlySet<string>> =>
  new Set((await findItemsBy(slugs, collectionSlugKey)).keys());

/** Those of the ids that no project has. */
export const unknownProjectIds = async (ids: readonly string[]): Promise<ReadonlySet<string>> => {
  const known = await findItemsBy(ids, projectKey);
  return new Set(ids.filter((id) => !known.has(id)));
};

const claimSlug = (slug: string, collectionId: string): Write => ({
  put: { ...collectionSlugKey(slug), type: 'collectionSlug', collection_id: collectionId },
  when: either(absent, is('collection_id', collectionId)),
  orElse: () => conflict('SLUG_TAKEN', `Another collection has the slug "${slug}".`),
});

// The number of collections is an item of its own: a condition on it keeps concurrent requests within the limit.
const countCollections = (change: 1 | -1): Write => ({
  update: collectionCountKey,
  change: { set: { type: 'collectionCount' }, add: { collections: change } },
  ...(change > 0 && {
    when: isBelow('collections', COLLECTIONS_MAX),
    orElse: () => conflict('LIMIT_REACHED', `There are at most ${COLLECTIONS_MAX} collections.`),
  }),
});

/** @throws 409 when the slug is taken or there are too many. */
export const insertCollection = (record: CollectionRecord): Promise<void> =>
  transact([{ put: itemOf(record), when: absent }, claimSlug(record.slug, record.id), countCollections(1)]);

/**
 * Replaces a collection. A new slug is claimed and the old one kept; slugs that `next` has given up become free.
 * @throws 409 when the slug is taken; {ConditionFailed} when the collection was changed or deleted concurrently.
 */
export const replaceCollection = (previous: CollectionRecord, next: CollectionRecord): Promise<void> => {
  const kept = new Set([next.slug, ...next.earlier_slugs]);
  const released = previous.earlier_slugs.filter((slug) => !kept.has(slug));
  return transact([
    { put: itemOf(next), when: every(exists, is('version', previous.version)) },
    ...(next.slug === previous.slug ? [] : [claimSlug(next.slug, next.id)]),
    ...released.map((slug) => ({ delete: collectionSlugKey(slug) })),
  ]);
};

/** Deletes a collection with its slugs. @returns false when it was changed or deleted concurrently. */
export const deleteCollection = (record: CollectionRecord): Promise<boolean> =>
  tryTransact([
    { delete: collectionKey(record.id), when: every(exists, is('version', record.version)) },
    ...[record.slug, ...record.earlier_slugs].map((slug) => ({ delete: collectionSlugKey(slug) })),
    countCollections(-1),
  ]);
