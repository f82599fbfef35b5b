import * as z from 'zod';
import { BatchCounts, BatchItem } from './batches.ts';
import { data, dryRunParameter, line, page, paging, Timestamp, wholeNumber } from './fields.ts';
import { CellText, EncodingName, ImportMapping } from './projects.ts';
import { defineRoute, forAdmins } from './route.ts';

// Imports of files that are too large for one request. `projects.importCsv` imports smaller ones.

/** The largest file, in bytes. */
export const IMPORT_BYTES_MAX = 100_000_000;
/** Imports that wait for their file or their start, whose files take up the storage. */
export const WAITING_IMPORTS_MAX = 20;
/** The most characters of the name of a column. */
export const COLUMN_NAME_MAX = 500;
/** The most columns of a file. */
export const IMPORT_COLUMNS_MAX = 200;
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
    cancel_requested_at: Timestamp.nullable().describe('When it was cancelled; it is `cancelled` once it has stopped.'),
    finished_at: Timestamp.nullable(),
    error: z.string().nullable().describe('Why it failed.'),
  })
  .meta({ id: 'ImportSummary' });
export type ImportSummary = z.infer<typeof ImportSummary>;

/** The most problems that a dry run lists. */
export const LISTED_PROBLEMS_MAX = 20;

const ImportProblem = z
  .object({ message: z.string(), rows: z.int().min(1).describe('The number of rows with it.') })
  .meta({ id: 'ImportProblem' });
export type ImportProblem = z.infer<typeof ImportProblem>;

export const Import = ImportSummary.extend({
  dry_run: z
    .object({
      counts: BatchCounts,
      problems: z
        .array(ImportProblem)
        .describe(`Why rows would fail or be skipped: the ${LISTED_PROBLEMS_MAX} most frequent reasons.`),
      items: z.array(BatchItem).describe('The first 100, or as many as one response holds.'),
    })
    .nullable()
    .describe('What the last dry run would have done.'),
  ignored: z
    .array(z.string())
    .describe('The columns that the last start or dry run maps to a field that an import does not set.'),
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
    separator: z
      .string()
      .describe('A comma, semicolon or tab, or the character that a first line such as `sep=|` names.'),
    encoding: z
      .string()
      .describe(
        'In which the rows below are read: of the byte order mark, the one that is asked for, or the likely one.',
      ),
    mapping: ImportMapping.pick({ columns: true, list_separator: true, encoding: true, text: true }).describe(
      'Proposed from the names of columns, the keys and labels of further fields, and the cells.',
    ),
    ignored: z
      .array(z.string())
      .describe('The columns that the mapping has for a field that an import does not set, such as `upvote_count`.'),
    rows: z.array(z.array(z.string())).describe('The cells of the first records, as many as one response holds.'),
  })
  .meta({ id: 'ImportPreview' });
export type ImportPreview = z.infer<typeof ImportPreview>;

const ImportStart = z
  .object({
    mapping: z
      .looseObject({}, { error: 'must be an object' })
      .describe('An ImportMapping, or its short form `{ "<column>": "<field>" }`.'),
  })
  .meta({ id: 'ImportStart' });

const common = forAdmins('imports:write');

export const create = defineRoute('imports.create', {
  ...common,
  method: 'POST',
  path: '/api/admin/imports',
  summary: 'Announce a large import',
  description: `For CSV files up to ${IMPORT_BYTES_MAX} bytes and ${IMPORT_ROWS_MAX} records. The response says where to upload the file; the import is started afterwards. The file is deleted after the import, and at the latest within 48 hours. At most ${WAITING_IMPORTS_MAX} imports wait for their start.`,
  body: ImportBody,
  idempotent: true,
  responses: { 201: data(ImportUpload) },
  failures: ['INVALID_TRANSITION', 'PAYLOAD_TOO_LARGE'],
  permissions: ['table:get', 'table:collection', 'uploads:sign'],
  writes: ['imports'],
});

export const list = defineRoute('imports.list', {
  ...common,
  method: 'GET',
  path: '/api/admin/imports',
  summary: 'List the large imports',
  description: 'Newest first, for 90 days.',
  query: z.object(paging(40)),
  responses: { 200: page(ImportSummary) },
  permissions: ['table:get', 'table:collection', 'uploads:read'],
});

export const read = defineRoute('imports.read', {
  ...common,
  method: 'GET',
  path: '/api/admin/imports/{import}',
  summary: 'Read a large import',
  description: 'Its progress while it is running.',
  responses: { 200: data(Import) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query', 'uploads:read'],
});

export const preview = defineRoute('imports.preview', {
  ...common,
  method: 'GET',
  path: '/api/admin/imports/{import}/preview',
  summary: 'Preview the file of a large import',
  description:
    'The first records, with the detected separator, the likely encoding and a proposed mapping, which knows the column names of other directory products too. The likely encoding is a guess: look at the rows, and ask for another one where they are not readable. What does not fit the encoding is shown as `�`.',
  query: z.object({
    rows: wholeNumber(1, 100).default(20).describe('How many records.'),
    encoding: EncodingName.optional().describe('The encoding to show the rows in, in place of the likely one.'),
    text: CellText.optional().describe(
      '`html` shows the cells as plain text; without it they are shown so when some hold HTML.',
    ),
  }),
  responses: { 200: data(ImportPreview) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'uploads:read'],
});

export const start = defineRoute('imports.start', {
  ...common,
  method: 'POST',
  path: '/api/admin/imports/{import}/start',
  summary: 'Start a large import',
  description:
    'The rows are imported in the background like those of `POST /api/admin/projects/import`, as a batch, which can be reverted; no row is imported twice. A dry run, with `dry_run` in the query or the mapping, is stored on the import, which can be started afterwards. A field that every new listing needs must have a column or a default, unless rows update existing listings. An API key imports content only: 403 `SCOPE` for a column or default of `status`, `plan`, `owner_id`, `paid_at`, `deleted_at` or `rejection_reason`; its new listings are `pending`.',
  query: z.object(dryRunParameter),
  body: ImportStart,
  responses: { 202: data(Import) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query', 'uploads:read'],
  writes: ['imports', 'events'],
});

export const cancel = defineRoute('imports.cancel', {
  ...common,
  method: 'POST',
  path: '/api/admin/imports/{import}/cancel',
  summary: 'Cancel a large import',
  description:
    'Stops between rows, within a second; until then the state is as before, with `cancel_requested_at`. What was imported stays; its batch can be reverted.',
  responses: { 200: data(Import) },
  failures: ['NOT_FOUND', 'INVALID_TRANSITION'],
  permissions: ['table:get', 'table:query'],
  writes: ['imports', 'events'],
});
