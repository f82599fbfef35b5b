import * as z from 'zod';
import { DryRun } from './batches.ts';
import {
  blankAsAbsent,
  blankAsNull,
  data,
  dryRunParameter,
  integer,
  line,
  optionalLine,
  optionalText,
  Reference,
  Slug,
  Timestamp,
} from './fields.ts';
import { defineRoute, forAdmins } from './route.ts';
import { isWholeAddress } from './web-addresses.ts';

export const Category = z
  .object({
    id: z.string().describe('`cat_` and a ULID.'),
    slug: z.string().describe("The value used in a project's `categories`."),
    name: z.string(),
    sphere: z.string().nullable().describe('The group of the category.'),
    description: z.string().nullable(),
    icon: z.string().nullable(),
    color: z.string().nullable().describe('`#rrggbb`.'),
    sort_order: z.int(),
    project_count: z.int().min(0).describe('The number of live projects.'),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Category' });
export type Category = z.infer<typeof Category>;

/** The most categories: one response lists them all. */
export const CATEGORIES_MAX = 2000;

const SORT_ORDER_MAX = 1_000_000;

const fields = {
  name: line(1, 50),
  slug: blankAsAbsent(Slug).describe('Generated from the name when empty.'),
  sphere: optionalLine(50).optional(),
  description: optionalText(200).optional(),
  icon: optionalLine(100)
    .refine((value) => value === null || isWholeAddress(value), {
      error: 'must be a name, or a whole http or https address',
    })
    .optional()
    .describe('The name or URL of an icon.'),
  color: blankAsNull(
    z
      .string()
      .trim()
      .toLowerCase()
      .regex(/^#[0-9a-f]{6}$/, { error: 'must be a colour such as #1a2b3c' })
      .nullable(),
  ).optional(),
  sort_order: integer(-SORT_ORDER_MAX, SORT_ORDER_MAX).optional().describe('Defaults to the end of the list.'),
} as const;

export const CategoryBody = z.object(fields).meta({ id: 'CategoryBody' });
export type CategoryBody = z.infer<typeof CategoryBody>;

export const CategoryUpdate = CategoryBody.partial().meta({ id: 'CategoryUpdate' });
export type CategoryUpdate = z.infer<typeof CategoryUpdate>;

export const list = defineRoute('categories.list', {
  method: 'GET',
  path: '/api/categories',
  summary: 'List the categories',
  description: 'All categories, by `sort_order`, then name.',
  auth: 'public',
  tier: 'general',
  responses: {
    200: z.object({
      data: z.array(Category),
      meta: z.object({ spheres: z.array(z.string()).describe('Every sphere in use, in the order of its categories.') }),
    }),
  },
  permissions: ['catalog'],
});

export const read = defineRoute('categories.read', {
  method: 'GET',
  path: '/api/categories/{category}',
  summary: 'Read a category',
  description: 'By id or slug. The slug of a merged category answers with the category that it was merged into.',
  auth: 'public',
  tier: 'general',
  responses: { 200: data(Category) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'catalog'],
});

const change = forAdmins('categories:write');

export const create = defineRoute('categories.create', {
  ...change,
  method: 'POST',
  path: '/api/admin/categories',
  summary: 'Create a category',
  description: `The slug is made from the name when it is missing. There are at most ${CATEGORIES_MAX}.`,
  body: CategoryBody,
  idempotent: true,
  responses: { 201: data(Category) },
  failures: ['CATEGORY_EXISTS', 'LIMIT_REACHED'],
  permissions: ['table:get', 'table:query', 'catalog'],
  // Completes an interrupted removal, merge or rename that holds the slug.
  writes: ['categories', 'projects', 'batches'],
  timeoutSeconds: 29,
});

export const update = defineRoute('categories.update', {
  ...change,
  method: 'PUT',
  path: '/api/admin/categories/{category}',
  summary: 'Update a category',
  description: 'A changed slug is propagated to the projects.',
  body: CategoryUpdate,
  ifMatch: true,
  responses: { 200: data(Category) },
  failures: ['NOT_FOUND', 'CATEGORY_EXISTS'],
  permissions: ['table:get', 'catalog'],
  writes: ['categories', 'projects', 'batches', 'events'],
  timeoutSeconds: 29,
});

/** The most categories in one request, because they are written in one transaction. */
export const REORDER_MAX = 99;

export const reorder = defineRoute('categories.reorder', {
  ...change,
  method: 'PUT',
  path: '/api/admin/categories/reorder',
  summary: 'Reorder categories',
  description: 'Atomic: an unknown id rejects the whole request.',
  body: z
    .array(
      z.object({
        id: Reference,
        sort_order: integer(-SORT_ORDER_MAX, SORT_ORDER_MAX),
        sphere: fields.sphere.describe('Unchanged when absent.'),
      }),
    )
    .min(1, { error: 'must name at least one category' })
    .max(REORDER_MAX, { error: `must name at most ${REORDER_MAX} categories` })
    .meta({ id: 'CategoryOrder' }),
  responses: { 200: z.object({ data: z.array(Category) }) },
  permissions: ['table:query', 'catalog'],
  writes: ['categories'],
});

/** What ends a category changes its projects, as a batch. */
const ending = {
  ...change,
  query: z.object(dryRunParameter),
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'catalog'],
  writes: ['categories', 'projects', 'batches', 'events'],
  timeoutSeconds: 29,
} as const;

export const remove = defineRoute('categories.remove', {
  ...ending,
  method: 'DELETE',
  path: '/api/admin/categories/{category}',
  summary: 'Delete a category',
  description: 'Projects are kept and lose the slug. The removal is a batch, which can be reverted.',
  responses: {
    200: data(
      z.union([
        z.object({
          id: z.string(),
          projects_updated: z.int().min(0),
          batch_id: z.string().describe('`bat_` and a ULID.'),
        }),
        DryRun,
      ]),
    ),
  },
});

export const merge = defineRoute('categories.merge', {
  ...ending,
  method: 'POST',
  path: '/api/admin/categories/{category}/merge',
  summary: 'Merge a category into another',
  description:
    'Its projects carry the other category. Its slug stays taken and stands for the other category: in requests it is replaced. The merge is a batch, which can be reverted.',
  body: z
    .object({ into: Reference.describe('The id or slug of the category that stays.') })
    .meta({ id: 'CategoryMerge' }),
  responses: {
    200: data(
      z.union([
        z.object({
          id: z.string(),
          into: z.string().describe('The id of the category that stays.'),
          projects_updated: z.int().min(0),
          batch_id: z.string().describe('`bat_` and a ULID.'),
        }),
        DryRun,
      ]),
    ),
  },
});
