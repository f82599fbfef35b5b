import type { CatalogQuery } from '#catalog/types.ts';
import type { CategoryRecord } from '#model/category.ts';
import { noCounts, type ProjectCounts, type ProjectRecord } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';

/** Of changes without an actor. */
export const origin: ChangeOrigin = { cause: 'imported', actorId: null };

/** A plain live project. */
export const project = (overrides: Partial<ProjectRecord> & { id: string }): ProjectRecord => ({
  slug: overrides.id,
  earlier_slugs: [],
  plan: 'standard',
  name: overrides.id,
  url: `https://${overrides.id}.example`,
  description: 'Plain.',
  long_description: null,
  categories: [],
  tags: [],
  logo_url: null,
  screenshots: [],
  video_url: null,
  pricing_type: 'free',
  status: 'live',
  owner_id: 'usr_1',
  latitude: null,
  longitude: null,
  address_city: null,
  address_country: null,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  published_at: null,
  deleted_at: null,
  rejection_reason: null,
  paid_at: null,
  pending_revision: null,
  waiting_writes: null,
  rule_id: null,
  rule_name: null,
  rule_action: null,
  version: 1,
  ...overrides,
});

export const counts = (overrides: Partial<ProjectCounts>): ProjectCounts => ({ ...noCounts, version: 1, ...overrides });

export const category = (overrides: Partial<CategoryRecord> & { id: string }): CategoryRecord => ({
  slug: overrides.id,
  name: overrides.id,
  sphere: null,
  description: null,
  icon: null,
  color: null,
  sort_order: 0,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  version: 1,
  ...overrides,
});

/** The first page of the public list, newest first, forty at a time. */
export const query = (
  overrides: Omit<Partial<CatalogQuery>, 'filters'> & { filters?: Partial<CatalogQuery['filters']> } = {},
): CatalogQuery => ({
  scope: { status: 'live', deleted: 'excluded' },
  sort: 'newest',
  page: 1,
  limit: 40,
  ...overrides,
  filters: { searchIn: 'public', ...overrides.filters },
});
