import * as z from 'zod';
import {
  cursorPage,
  data,
  dryRunParameter,
  NoPage,
  ProjectReference,
  page,
  paging,
  Timestamp,
  wholeNumber,
} from './fields.ts';
import { BulkAction, ItemChange, Status } from './projects.ts';
import { defineRoute, forAdmins, forStaff } from './route.ts';

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
    project: ProjectReference.nullable().describe('The project as the batch left it.'),
    changes: z.array(ItemChange).describe('Empty for a created project.'),
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
    items: z.array(BatchItem).describe('The first 100, or as many as one response holds.'),
  })
  .meta({ id: 'DryRun' });
export type DryRun = z.infer<typeof DryRun>;

/** How many items a dry run and the response of a revert list. */
export const LISTED_MAX = 100;

const common = forAdmins('imports:write');

export const list = defineRoute('batches.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches',
  summary: 'List the batches',
  description:
    'Imports, bulk changes, removals and merges of categories, and reverts of them, newest first, for 90 days.',
  query: z.object(paging(40)),
  responses: { 200: page(Batch) },
  permissions: ['table:get', 'table:collection'],
});

export const read = defineRoute('batches.read', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches/{batch}',
  summary: 'Read a batch',
  description: 'Kept for 90 days.',
  responses: { 200: data(Batch) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const listItems = defineRoute('batches.listItems', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches/{batch}/items',
  summary: 'Read the items of a batch',
  description: 'By row; by project where there are no rows. With `outcome` or with long values, pages may be short.',
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
  responses: { 200: cursorPage(BatchItem) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const exportErrors = defineRoute('batches.exportErrors', {
  ...common,
  method: 'GET',
  path: '/api/admin/batches/{batch}/errors.csv',
  summary: 'Export the failed rows of an import',
  description:
    'Streamed CSV with the columns of the imported file and `error`; what a row has beyond the last named column follows in columns without a name. After correction, the import accepts the file. 404 for other batches.',
  responses: {
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
    'Soft-deletes the projects that the batch created and restores the fields that it changed. What was touched since is kept and reported: a created project entirely, of an updated one the fields that were changed. A removed or merged category is created again with its id and slug; categories that an import created stay. Fires `batchReverted` only and sends no mail. 202 while it continues in the background. An API key reverts its own imports only: 403 `SCOPE`.',
  responses: { 200: data(Reverted), 202: data(Reverted) },
  failures: ['NOT_FOUND', 'IN_PROGRESS', 'REVERTED', 'INVALID_TRANSITION', 'CATEGORY_EXISTS'],
  permissions: ['table:get', 'table:query'],
  writes: ['projects', 'slugs', 'categories', 'batches', 'events'],
  timeoutSeconds: 29,
});

// The routes that change many projects, each request as a batch.

const BulkResult = z
  .object({
    id: z.string().describe('The id or slug from the request.'),
    ok: z.boolean(),
    status: Status.optional().describe('The status of the project after a successful change.'),
    error: z.string().optional().describe('The `error` text of the failure.'),
    code: z.string().optional().describe('The `code` of the failure.'),
    message: z.string().optional().describe('The `message` of the failure, if any.'),
    details: z
      .looseObject({ _errors: z.array(z.string()) })
      .optional()
      .describe('The `details` of a 400: messages per field.'),
  })
  .meta({ id: 'BulkResult' });
export type BulkResult = z.infer<typeof BulkResult>;

export const BulkReport = z
  .object({
    batch_id: z.string().describe('`bat_` and a ULID.'),
    results: z.array(BulkResult),
    succeeded: z.int().min(0),
    failed: z.int().min(0),
  })
  .meta({ id: 'BulkReport' });
export type BulkReport = z.infer<typeof BulkReport>;

export const bulk = defineRoute('projects.bulk', {
  method: 'POST',
  path: '/api/admin/projects/bulk',
  summary: 'Change many projects',
  description:
    'Each project is changed separately; the response has a result per id, in the order of the request. The change is a batch, which can be reverted.',
  ...forStaff('projects:write', 'moderation'),
  query: z.object(dryRunParameter),
  body: BulkAction,
  responses: { 200: data(z.union([BulkReport, DryRun])) },
  permissions: ['table:get', 'table:query', 'table:sweep'],
  writes: ['projects', 'slugs', 'batches', 'events'],
  timeoutSeconds: 29,
});

/** The largest file of one import, in bytes: its base64 form fits Lambda's 6 MB request limit. */
export const IMPORT_FILE_BYTES_MAX = 4_300_000;

export const ImportReport = z
  .object({
    batch_id: z.string().nullable().describe('`bat_` and a ULID; null for a dry run.'),
    dry_run: z.boolean(),
    rows: z.int().min(0),
    ...BatchCounts.shape,
    errors: z
      .array(
        z.object({
          row: z.int().min(1).describe('The number of the record; the header is 1.'),
          column: z.string().nullable().describe('The CSV column that caused the error, if any.'),
          message: z.string(),
        }),
      )
      .describe('Invalid rows, and rows that are skipped because their project is deleted.'),
    ignored: z.array(z.string()).describe('The columns that are mapped to a field that an import does not set.'),
    counts: BatchCounts.optional().describe('Only for a dry run.'),
    items: z
      .array(BatchItem)
      .optional()
      .describe('Only for a dry run: what would happen with the first 100 rows, or as many as one response holds.'),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;

export const importCsv = defineRoute('projects.importCsv', {
  method: 'POST',
  path: '/api/admin/projects/import',
  summary: 'Import projects from CSV',
  description:
    'Multipart with `file` (CSV) and `mapping` (JSON, see ImportMapping; the short form `{ "<column>": "<field>" }` is accepted too). An invalid row does not stop the import. The import is a batch, which can be reverted. `dry_run` is taken from the mapping, the query and a form field; `true` in any of them makes a dry run. A field that every new listing needs must have a column or a default, unless rows update existing listings. An API key imports content only: 403 `SCOPE` for a column or default of `status`, `plan`, `owner_id`, `paid_at`, `deleted_at` or `rejection_reason`; its new listings are `pending`.',
  ...forAdmins('imports:write'),
  query: z.object(dryRunParameter),
  bodyKind: 'multipart',
  idempotent: true,
  responses: { 200: data(ImportReport) },
  failures: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_INPUT'],
  permissions: ['table:get', 'table:query', 'table:sweep', 'catalog'],
  writes: ['projects', 'slugs', 'reports', 'claims', 'categories', 'batches', 'events', 'users:counts'],
  reservedConcurrency: 2,
  timeoutSeconds: 29,
  memoryMb: 1769,
});
