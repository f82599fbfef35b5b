import { IMPORT_FILE_BYTES_MAX, importCsv } from '#contract/batches.ts';
import { handle, ok } from '#http/handle.ts';
import { idempotency } from '#http/middleware/idempotency.ts';
import { multipart } from '#http/middleware/multipart.ts';
import { importProjects } from '#services/imports/import-rows.ts';

/** The limit of JSON bodies. */
const MAPPING_BYTES_MAX = 256 * 1024;
const FLAG_BYTES_MAX = 1000;

/** The time reserved for the last rows and the report, in milliseconds. */
const RESERVE_MS = 4000;

export const handler = handle(
  importCsv,
  async ({ body: { fields, files }, query, user, seed, remainingMs }) => {
    // Clients send the parts either as files or as fields.
    const part = (name: string) => files[name]?.content ?? fields[name];
    const form = { file: part('file'), mapping: part('mapping'), dry_run: part('dry_run') };
    const upload = { ...form, filename: files.file?.filename, isDryRun: query.dry_run };
    return ok({ data: await importProjects(user, upload, { budgetMs: remainingMs() - RESERVE_MS, seed }) });
  },
  [multipart({ file: IMPORT_FILE_BYTES_MAX, mapping: MAPPING_BYTES_MAX, dry_run: FLAG_BYTES_MAX }), idempotency],
);
