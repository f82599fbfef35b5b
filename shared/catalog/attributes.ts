import type { PricingType, Status } from '#contract/projects.ts';
import { IdSet, Postings } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import type { Row } from './row.ts';

/** The listings by value of their filterable properties. Without spheres, which depend on the current categories. */
export class Attributes implements ListingIndex {
  /** With both coordinates. */
  readonly located = new IdSet();
  /** Not deleted, by status. */
  readonly present = new Postings<Status>();
  /** Deleted, by status. */
  readonly deleted = new Postings<Status>();
  readonly pricing = new Postings<PricingType>();
  /** By user id. */
  readonly owner = new Postings<string>();
  /** By slug, also of categories that do not exist. */
  readonly category = new Postings<string>();
  /** Not folded. */
  readonly tag = new Postings<string>();

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
