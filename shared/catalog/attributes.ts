import { Status } from '#contract/projects.ts';
import type { Bitmap } from './bitmap.ts';
import { IdSet, Postings } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';
import type { CatalogScope } from './types.ts';

/** The listings by value of their filterable properties. Without spheres, which depend on the current categories. */
export class Attributes implements ListingIndex {
  /** With both coordinates. */
  readonly located = new IdSet();
  /** Not deleted, by status. */
  readonly present = new Postings();
  /** Deleted, by status. */
  readonly deleted = new Postings();
  readonly pricing = new Postings();
  /** By user id. */
  readonly owner = new Postings();
  /** By slug, also of categories that do not exist. */
  readonly category = new Postings();
  /** Not folded. */
  readonly tag = new Postings();

  /** Adds the slots of a scope, of every owner, to a bitmap and returns it. */
  addScope(scope: Pick<CatalogScope, 'status' | 'deleted'>, slots: Bitmap): Bitmap {
    const statuses = scope.status === 'any' ? Status.options : [scope.status];
    this.present.addAnyOf(statuses, slots);
    if (scope.deleted === 'included') this.deleted.addAnyOf(statuses, slots);
    return slots;
  }

  isAffected(before: Row, after: Row): boolean {
    return before.version !== after.version;
  }

  insert(slot: number, row: Row): void {
    if (row.latitude !== null && row.longitude !== null) this.located.add(slot);
    (row.deletedAt === null ? this.present : this.deleted).add(row.status, slot);
    this.pricing.add(row.pricing, slot);
    this.owner.add(row.owner, slot);
    for (const slug of row.categories) this.category.add(slug, slot);
    for (const tag of row.tags) this.tag.add(tag, slot);
  }

  remove(slot: number, row: Row): void {
    this.located.delete(slot);
    (row.deletedAt === null ? this.present : this.deleted).delete(row.status, slot);
    this.pricing.delete(row.pricing, slot);
    this.owner.delete(row.owner, slot);
    for (const slug of row.categories) this.category.delete(slug, slot);
    for (const tag of row.tags) this.tag.delete(tag, slot);
  }
}
