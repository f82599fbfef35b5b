import * as z from 'zod';
import { BatchCounts, BatchItem, DryRun, dryRunParameter } from './batches.ts';
import { data } from './fields.ts';
import { BulkAction, Status } from './projects.ts';
import { defineRoute } from './route.ts';

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
  auth: 'admin',
  scopes: ['projects:write', 'moderation'],
  moderators: true,
  tier: 'admin',
  query: z.object(dryRunParameter),
  body: BulkAction,
  replies: { 200: data(z.union([BulkReport, DryRun])) },
  permissions: ['table:get', 'table:write', 'table:sweep'],
  timeoutSeconds: 29,
});

/** The largest file of one import, in bytes: its base64 form fits Lambda's 6 MB request limit. */
export const IMPORT_FILE_BYTES_MAX = 4_300_000;

export const ImportReport = z
  .object({
    batch_id: z.string().nullable().describe('`bat_` and a ULID; null for a dry run.'),
    dry_run: z.boolean(),
    rows: z.int().min(0),
    created: z.int().min(0),
    updated: z.int().min(0),
    skipped: z.int().min(0),
    failed: z.int().min(0),
    errors: z
      .array(
        z.object({
          row: z.int().min(1).describe('The number of the record; the header is 1.'),
          column: z.string().nullable().describe('The CSV column that caused the error, if any.'),
          message: z.string(),
        }),
      )
      .describe('Invalid rows, and rows that are skipped because their project is deleted.'),
    counts: BatchCounts.optional().describe('Only for a dry run.'),
    items: z.array(BatchItem).optional().describe('Only for a dry run: what would happen with the first 100 rows.'),
  })
  .meta({ id: 'ImportReport' });
export type ImportReport = z.infer<typeof ImportReport>;

export const importCsv = defineRoute('projects.importCsv', {
  method: 'POST',
  path: '/api/admin/projects/import',
  summary: 'Import projects from CSV',
  description:
    'Multipart with `file` (CSV) and `mapping` (JSON, see ImportMapping; the short form `{ "<column>": "<field>" }` is accepted too). An invalid row does not stop the import. The import is a batch, which can be reverted. `dry_run` is taken from the mapping, the query and a form field; `true` in any of them makes a dry run.',
  auth: 'admin',
  scopes: ['imports:write'],
  moderators: false,
  tier: 'admin',
  query: z.object(dryRunParameter),
  bodyKind: 'multipart',
  replies: { 200: data(ImportReport) },
  failures: ['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE', 'INVALID_INPUT'],
  permissions: ['table:get', 'table:query', 'table:write', 'table:sweep', 'catalog'],
  timeoutSeconds: 29,
  memoryMb: 1769,
});
