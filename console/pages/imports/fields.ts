import type { ImportField } from '#contract/projects.ts';

/** Every field of an import; the type makes the list complete without loading the schemas. */
const fields: Readonly<Record<ImportField, true>> = {
  id: true,
  slug: true,
  name: true,
  url: true,
  description: true,
  long_description: true,
  categories: true,
  tags: true,
  logo_url: true,
  screenshots: true,
  video_url: true,
  pricing_type: true,
  plan: true,
  status: true,
  latitude: true,
  longitude: true,
  address_city: true,
  address_country: true,
  owner_id: true,
  upvote_count: true,
  average_rating: true,
  ratings_count: true,
  comments_count: true,
  views_count: true,
  rejection_reason: true,
  created_at: true,
  updated_at: true,
  published_at: true,
  deleted_at: true,
  paid_at: true,
};

export const importFields = Object.keys(fields) as readonly ImportField[];

/** Fields whose cells hold several entries. */
export const listFields: ReadonlySet<string> = new Set<ImportField>(['categories', 'tags', 'screenshots']);
