import * as z from 'zod';
import {
  blankAsAbsent,
  data,
  deleted,
  integer,
  line,
  optionalList,
  optionalText,
  page,
  paging,
  Reference,
  Slug,
  Timestamp,
} from './fields.ts';
import { Project } from './projects.ts';
import { adminOnly, defineRoute } from './route.ts';

/** The most collections. */
export const COLLECTIONS_MAX = 500;
/** The most projects of a collection. */
export const COLLECTION_PROJECTS_MAX = 200;

const SORT_ORDER_MAX = 1_000_000;

/** An ordered list of projects that administrators curate. */
export const Collection = z
  .object({
    id: z.string().describe('`col_` and a ULID.'),
    slug: z.string().describe('The readable identifier; earlier slugs stay valid.'),
    title: z.string(),
    description: z.string().nullable().describe('Markdown, stored as written.'),
    is_public: z.boolean(),
    sort_order: z.int(),
    project_count: z.int().min(0).describe('The number of live projects.'),
    project_ids: z
      .array(z.string())
      .optional()
      .describe('Administrators only: all projects in order, also those that are not live.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Collection' });
export type Collection = z.infer<typeof Collection>;

export const CollectionWithProjects = Collection.extend({
  projects: z.array(Project).describe('The live ones in order.'),
}).meta({ id: 'CollectionWithProjects' });
export type CollectionWithProjects = z.infer<typeof CollectionWithProjects>;

const fields = {
  title: line(1, 100),
  slug: blankAsAbsent(Slug).describe('Generated from the title when empty.'),
  description: optionalText(2000).optional().describe('Markdown.'),
  project_ids: optionalList(
    z
      .array(Reference)
      .max(COLLECTION_PROJECTS_MAX, { error: `must have at most ${COLLECTION_PROJECTS_MAX} entries` })
      .transform((ids) => [...new Set(ids)]),
  ).describe('Ids of projects in the order of the list.'),
  is_public: z.boolean().optional().describe('Whether everyone sees it; false by default.'),
  sort_order: integer(-SORT_ORDER_MAX, SORT_ORDER_MAX).optional().describe('Defaults to the end of the list.'),
} as const;

export const CollectionBody = z.object(fields).meta({ id: 'CollectionBody' });
export type CollectionBody = z.infer<typeof CollectionBody>;

export const CollectionUpdate = CollectionBody.partial().meta({ id: 'CollectionUpdate' });
export type CollectionUpdate = z.infer<typeof CollectionUpdate>;

const reading = {
  method: 'GET',
  auth: 'optional',
  tier: 'general',
  feature: 'collections',
} as const;

export const list = defineRoute('collections.list', {
  ...reading,
  path: '/api/collections',
  summary: 'List the collections',
  description: 'The public ones, by `sort_order`, then title. Administrators see all.',
  query: z.object(paging(40)),
  responses: { 200: page(Collection) },
  permissions: ['table:query', 'catalog'],
});

export const read = defineRoute('collections.read', {
  ...reading,
  path: '/api/collections/{collection}',
  summary: 'Read a collection with its projects',
  description: 'By id, slug or earlier slug. One that is not public is 404 except for administrators.',
  responses: { 200: data(CollectionWithProjects) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'catalog'],
  // Administrators get more than others.
  cacheSeconds: 0,
});

const change = { ...adminOnly, feature: 'collections', writes: ['collections'] } as const;

export const create = defineRoute('collections.create', {
  ...change,
  method: 'POST',
  path: '/api/admin/collections',
  summary: 'Create a collection',
  description: `The slug is made from the title when it is missing. There are at most ${COLLECTIONS_MAX}.`,
  body: CollectionBody,
  idempotent: true,
  responses: { 201: data(Collection) },
  failures: ['SLUG_TAKEN', 'LIMIT_REACHED'],
  permissions: ['table:get', 'table:query', 'catalog'],
});

export const update = defineRoute('collections.update', {
  ...change,
  method: 'PUT',
  path: '/api/admin/collections/{collection}',
  summary: 'Update a collection',
  description: 'Partial; `project_ids` is replaced as a whole.',
  body: CollectionUpdate,
  ifMatch: true,
  responses: { 200: data(Collection) },
  failures: ['NOT_FOUND', 'SLUG_TAKEN'],
  permissions: ['table:get', 'catalog'],
});

export const remove = defineRoute('collections.remove', {
  ...change,
  method: 'DELETE',
  path: '/api/admin/collections/{collection}',
  summary: 'Delete a collection',
  description: 'Its projects stay as they are, and its slugs become free.',
  responses: { 200: deleted },
  failures: ['NOT_FOUND'],
  permissions: ['table:get'],
});
