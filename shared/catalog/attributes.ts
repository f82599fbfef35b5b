import type { PricingType, Status } from '#contract/projects.ts';
import { IdSet } from './id-set.ts';
import type { ListingIndex } from './listing-index.ts';
import { Postings } from './postings.ts';
import type { Row } from './row.ts';

/** Which listings have which property. Spheres are not among them: they follow from the categories at the time of asking. */
export class Attributes implements ListingIndex {
  /** With both coordinates. */
  readonly located = new IdSet();
  /** By status, those that are not deleted. */
  readonly present = new Postings<Status>();
  /** By status, those that are. */
  readonly deleted = new Postings<Status>();
  /** By kind of pricing. */
  readonly pricing = new Postings<PricingType>();
  /** By id of the owner. */
  readonly owner = new Postings<string>();
  /** By slug, whether or not there is such a category. */
  readonly category = new Postings<string>();
  /** By tag as it is written. */
  readonly tag = new Postings<string>();

  concerns(before: Row, after: Row): boolean {
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
