import * as z from 'zod';
import { data, ledger, NoPage, page, paging, Timestamp, wholeNumber } from './fields.ts';
import { FieldChange } from './projects.ts';
import { defineRoute } from './route.ts';

/** An operation on many projects. */
export const BatchKind = z.enum(['import', 'bulk', 'category_removal', 'category_merge', 'revert']);
export type BatchKind = z.infer<typeof BatchKind>;

export const BatchState = z.enum(['running', 'done', 'failed', 'cancelled', 'reverted']);
export type BatchState = z.infer<typeof BatchState>;

export const BatchOutcome = z.enum(['created', 'updated', 'skipped', 'failed']);
export type BatchOutcome = z.infer<typeof BatchOutcome>;

export const BatchCounts = z
  .object({
    created: z.int().min(0),
    updated: z.int().min(0),
    skipped: z.int().min(0),
    failed: z.int().min(0),
  })
  .meta({ id: 'BatchCounts' });
export type BatchCounts = z.infer<typeof BatchCounts>;

/** Why a revert keeps a project or some of its fields. */
export const KeptReason = z.enum(['changed', 'voted', 'rated', 'commented', 'reported', 'paid', 'gone']);
export type KeptReason = z.infer<typeof KeptReason>;

export const Batch = z
  .object({
    id: z.string().describe('`bat_` and a ULID.'),
    kind: BatchKind,
    actor: z
      .object({ id: z.string(), name: z.string().nullable() })
      .nullable()
      .describe('The administrator who started it; null once erased.'),
    at: Timestamp,
    state: BatchState.describe('`failed`: it ended early; what it had changed by then is in its items.'),
    counts: BatchCounts.describe('Items by outcome, so far while it is running.'),
    summary: z.string(),
    reverts: z.string().nullable().describe('The batch that a batch of kind `revert` reverts.'),
    reverted_by: z.string().nullable().describe('The batch that reverts this one.'),
  })
  .meta({ id: 'Batch' });
export type Batch = z.infer<typeof Batch>;

/** What a batch did, or a dry run would do, with one project or row. */
export const BatchItem = z
  .object({
    row: z
      .int()
      .min(1)
      .nullable()
      .describe('The record of the file, of which the header is 1, or the position in the request; otherwise null.'),
    outcome: BatchOutcome,
    project: z
      .object({ id: z.string(), slug: z.string(), name: z.string() })
      .nullable()
      .describe('The project as the batch left it.'),
    changes: z.array(FieldChange).describe('Empty for a created project.'),
    message: z.string().nullable().describe('Why it failed, was skipped or was kept.'),
    reason: KeptReason.nullable().describe('In a revert: why the project, or some of its fields, are kept.'),
  })
  .meta({ id: 'BatchItem' });
export type BatchItem = z.infer<typeof BatchItem>;

/** What an operation on many projects would do. */
export const DryRun = z
  .object({
    dry_run: z.literal(true),
    batch_id: z.null(),
    counts: BatchCounts,
    items: z.array(BatchItem).describe('The first 100.'),
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.infer<typeof DryRun>;

/** How many items a dry run and the response of a revert list. */
export const LISTED_MAX = 100;

/** `dry_run` of operations on many projects. */
export const dryRunParameter = {
  dry_run: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((value) => value === 'true')
    .optional()
    .describe('`true`: respond with what would happen and write nothing.'),
} as const;

const common = { auth: 'admin', scopes: ['imports:write'], moderators: false, tier: 'admin' } as const;

export const list = defineRoute('batches.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches',
  summary: 'List the batches',
  description:
    'Imports, bulk changes, removals and merges of categories, and reverts of them, newest first, for 90 days.',
  query: z.object(paging(40)),
  replies: { 200: page(Batch) },
  permissions: ['table:get', 'table:collection'],
});

export const read = defineRoute('batches.read', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches/{batch}',
  summary: 'Read a batch',
  description: 'Kept for 90 days.',
  replies: { 200: data(Batch) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const listItems = defineRoute('batches.listItems', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches/{batch}/items',
  summary: 'Read the items of a batch',
  description: 'By row; by project where there are no rows. With `outcome`, pages may be short.',
  query: z.object({
    outcome: BatchOutcome.optional().describe('Only items with this outcome.'),
    after: z
      .string()
      .trim()
      .regex(/^(?:\d{9}|prj_[0-9A-HJKMNP-TV-Z]{26})$/, { error: 'must be the nextAfter of another page' })
      .optional()
      .describe('From `meta.nextAfter`.'),
    limit: wholeNumber(1, 100).default(40).describe('Items per page.'),
    page: NoPage,
  }),
  replies: { 200: ledger(BatchItem) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const exportErrors = defineRoute('batches.exportErrors', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches/{batch}/errors.csv',
  summary: 'Export the failed rows of an import',
  description:
    'Streamed CSV with the columns of the imported file and `error`. After correction, the import accepts the file. 404 for other batches.',
  replies: {
    200: {
      stream: true,
      contentType: 'text/csv; charset=utf-8',
      description: 'The header, then one record per failed row.',
    },
  },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
  timeoutSeconds: 300,
});

const Reverted = z
  .object({
    batch_id: z.string().describe('The batch of the revert.'),
    state: z.enum(['running', 'done']),
    reverted: z.int().min(0).describe('The number of projects that are as they were before the batch, so far.'),
    kept: z
      .array(z.object({ project_id: z.string(), reason: KeptReason }))
      .describe('The first 100 projects that are kept, entirely or in some fields; all are in the items.'),
  })
  .meta({ id: 'RevertReport' });
export type RevertReport = z.infer<typeof Reverted>;

export const revert = defineRoute('batches.revert', {
  ...common,
  method: 'POST',
  path: '/api/admin/batches/{batch}/revert',
  summary: 'Revert a batch',
  description:
    'Soft-deletes the projects that the batch created and restores the fields that it changed. What was touched since is kept and reported: a created project entirely, of an updated one the fields that were changed. A removed or merged category is created again with its id and slug; categories that an import created stay. Fires `batchReverted` only and sends no mail. 202 while it continues in the background.',
  replies: { 200: data(Reverted), 202: data(Reverted) },
  failures: ['NOT_FOUND', 'IN_PROGRESS', 'REVERTED', 'INVALID_TRANSITION', 'CATEGORY_EXISTS'],
  permissions: ['table:get', 'table:query', 'table:write'],
  timeoutSeconds: 29,
});
