import type { ImportField } from '#contract/projects.ts';
import { optionalTextNames } from '../../components/listing-fields.ts';

/** Every field of an import, without loading the schemas. */
export const importFields = [
  'id',
  'slug',
  'name',
  'url',
  'description',
  'long_description',
  'categories',
  'tags',
  'logo_url',
  'screenshots',
  ...optionalTextNames,
  'pricing_type',
  'plan',
  'status',
  'latitude',
  'longitude',
  'address_city',
  'address_country',
  'publish_at',
  'owner_id',
  'upvote_count',
  'average_rating',
  'ratings_count',
  'comments_count',
  'views_count',
  'rejection_reason',
  'created_at',
  'updated_at',
  'published_at',
  'deleted_at',
  'paid_at',
] as const satisfies readonly ImportField[];

// The compiler reports a field of the contract that is missing above.
true satisfies [Exclude<ImportField, (typeof importFields)[number]>] extends [never] ? true : never;

/** Fields whose cells hold several entries. */
export const listFields: ReadonlySet<string> = new Set<ImportField>(['categories', 'tags', 'screenshots']);
