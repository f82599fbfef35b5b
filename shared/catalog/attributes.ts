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
    return before.project !== after.project;
  }

  insert(slot: number, { project }: Row): void {
    if (project.latitude !== null && project.longitude !== null) this.located.add(slot);
    (project.deleted_at === null ? this.present : this.deleted).add(project.status, slot);
    this.pricing.add(project.pricing_type, slot);
    this.owner.add(project.owner_id, slot);
    for (const slug of project.categories) this.category.add(slug, slot);
    for (const tag of project.tags) this.tag.add(tag, slot);
  }

  remove(slot: number, { project }: Row): void {
    this.located.delete(slot);
    (project.deleted_at === null ? this.present : this.deleted).delete(project.status, slot);
    this.pricing.delete(project.pricing_type, slot);
    this.owner.delete(project.owner_id, slot);
    for (const slug of project.categories) this.category.delete(slug, slot);
    for (const tag of project.tags) this.tag.delete(tag, slot);
  }
}
