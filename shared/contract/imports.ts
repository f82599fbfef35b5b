import * as z from 'zod';
import { BatchCounts, BatchItem, dryRunParameter } from './batches.ts';
import { data, line, page, paging, Timestamp, wholeNumber } from './fields.ts';
import { ImportMapping } from './projects.ts';
import { defineRoute } from './route.ts';

// Imports of files that are too large for one request. `projects.importCsv` imports smaller ones.

/** The largest file, in bytes. */
export const IMPORT_BYTES_MAX = 100_000_000;
/** The most records of a file, without its header. */
export const IMPORT_ROWS_MAX = 200_000;

export const ImportState = z
  .enum(['waiting', 'uploaded', 'checking', 'running', 'done', 'failed', 'cancelled'])
  .meta({ id: 'ImportState' });
export type ImportState = z.infer<typeof ImportState>;

const ImportSummary = z
  .object({
    id: z.string().describe('`imp_` and a ULID.'),
    filename: z.string(),
    bytes: z.int().min(1),
    state: ImportState.describe(
      '`waiting` for the file, `uploaded`, `checking` (the records are counted), `running`, then one of the others.',
    ),
    rows_total: z.int().min(0).nullable().describe('Null until the records are counted.'),
    rows_done: z.int().min(0),
    counts: BatchCounts.describe('Rows by outcome, so far while it is running.'),
    batch_id: z.string().nullable().describe('The batch with its items, which can be reverted; null before it runs.'),
    created_at: Timestamp,
    started_at: Timestamp.nullable(),
    finished_at: Timestamp.nullable(),
    error: z.string().nullable().describe('Why it failed.'),
  })
  .meta({ id: 'ImportSummary' });
export type ImportSummary = z.infer<typeof ImportSummary>;

export const Import = ImportSummary.extend({
  dry_run: z
    .object({ counts: BatchCounts, items: z.array(BatchItem).describe('The first 100.') })
    .nullable()
    .describe('What the last dry run would have done.'),
}).meta({ id: 'Import' });
export type Import = z.infer<typeof Import>;

export const ImportBody = z
  .object({
    filename: line(1, 255),
    bytes: z.int().min(1).describe(`The exact size of the file; more than ${IMPORT_BYTES_MAX} is 413.`),
  })
  .meta({ id: 'ImportBody' });
export type ImportBody = z.infer<typeof ImportBody>;

const ImportUpload = z
  .object({
    id: z.string(),
    upload: z.object({
      method: z.literal('PUT'),
      url: z.string().describe('Valid for 15 minutes and for one upload of exactly the announced size.'),
      headers: z.record(z.string(), z.string()).describe('To be sent with the file.'),
    }),
    state: z.literal('waiting'),
  })
  .meta({ id: 'ImportUpload' });
export type ImportUpload = z.infer<typeof ImportUpload>;

export const ImportPreview = z
  .object({
    header: z.array(z.string()),
    separator: z.enum([',', ';', '\t']),
    encoding: z.enum(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252']),
    mapping: ImportMapping.pick({ columns: true, list_separator: true }).describe('Proposed from the column names.'),
    rows: z.array(z.array(z.string())).describe('The cells of the first records.'),
  })
  .meta({ id: 'ImportPreview' });
export type ImportPreview = z.infer<typeof ImportPreview>;

export const ImportStart = z
  .object({
    mapping: z
      .looseObject({}, { error: 'must be an object' })
      .describe('An ImportMapping, or its short form `{ "<column>": "<field>" }`.'),
  })
  .meta({ id: 'ImportStart' });

const common = { auth: 'admin', scopes: ['imports:write'], moderators: false, tier: 'admin' } as const;

export const create = defineRoute('imports.create', {
  ...common,
  method: 'POST',
  path: '/api/admin/imports',
  summary: 'Announce a large import',
  description: `For CSV files up to ${IMPORT_BYTES_MAX} bytes and ${IMPORT_ROWS_MAX} records. The response says where to upload the file; the import is started afterwards. The file is deleted after the import, and at the latest within 48 hours.`,
  body: ImportBody,
  replies: { 201: data(ImportUpload) },
  failures: ['PAYLOAD_TOO_LARGE'],
  permissions: ['table:write', 'uploads:sign'],
});

export const list = defineRoute('imports.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/imports',
  summary: 'List the large imports',
  description: 'Newest first, for 90 days.',
  query: z.object(paging(40)),
  replies: { 200: page(ImportSummary) },
  permissions: ['table:get', 'table:collection', 'uploads:read'],
});

export const read = defineRoute('imports.read', {
  ...common,
  method: 'GET',
  path: '/api/admin/imports/{import}',
  summary: 'Read a large import',
  description: 'Its progress while it is running.',
  replies: { 200: data(Import) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'uploads:read'],
});

export const preview = defineRoute('imports.preview', {
  ...common,
  method: 'GET',
  path: '/api/admin/imports/{import}/preview',
  summary: 'Preview the file of a large import',
  description:
    'The first records, with the detected separator and encoding and a proposed mapping, which knows the column names of other directory products too.',
  query: z.object({ rows: wholeNumber(1, 100).default(20).describe('How many records.') }),
  replies: { 200: data(ImportPreview) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'uploads:read'],
});

export const start = defineRoute('imports.start', {
  ...common,
  method: 'POST',
  path: '/api/admin/imports/{import}/start',
  summary: 'Start a large import',
  description:
    'The rows are imported in the background like those of `POST /api/admin/projects/import`, as a batch, which can be reverted; no row is imported twice. A dry run, with `dry_run` in the query or the mapping, is stored on the import, which can be started afterwards.',
  query: z.object(dryRunParameter),
  body: ImportStart,
  replies: { 202: data(Import) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:write', 'uploads:read'],
});

export const cancel = defineRoute('imports.cancel', {
  ...common,
  method: 'POST',
  path: '/api/admin/imports/{import}/cancel',
  summary: 'Cancel a large import',
  description: 'Stops between rows, within a second. What was imported stays; its batch can be reverted.',
  replies: { 200: data(Import) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'table:write'],
});
