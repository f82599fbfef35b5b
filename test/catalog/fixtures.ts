import type { CatalogQuery } from '#catalog/types.ts';
import type { CategoryRecord } from '#model/category.ts';
import type { CurrentField } from '#model/field.ts';
import { noCounts, type ProjectCounts, type ProjectRecord, unsetFields } from '#model/project.ts';
import type { ChangeOrigin } from '#model/revision.ts';

/** Of changes without an actor. */
export const origin: ChangeOrigin = { cause: 'imported', actorId: null };

/** A plain live project. */
export const project = (overrides: Partial<ProjectRecord> & { id: string }): ProjectRecord => ({
  ...unsetFields,
  slug: overrides.id,
  plan: 'standard',
  name: overrides.id,
  url: `https://${overrides.id}.example`,
  description: 'Plain.',
  pricing_type: 'free',
  status: 'live',
  owner_id: 'usr_1',
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
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

/** A public text. */
export const field = (overrides: Partial<CurrentField> & { id: string }): CurrentField => ({
  key: overrides.id,
  type: 'text',
  label: 'A field',
  help: null,
  unit: null,
  options: [],
  categories: [],
  required: false,
  access: 'public',
  edit: 'owner',
  filterable: false,
  sortable: false,
  searchable: false,
  in_card: false,
  min: null,
  max: null,
  sort_order: 0,
  deleted_at: null,
  version: 1,
  slugs: [],
  within: undefined,
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
