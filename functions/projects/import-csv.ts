import { IMPORT_FILE_BYTES_MAX, importCsv } from '#contract/projects.ts';
import { importProjects } from '#domain/projects/import.ts';
import { handle, ok } from '#http/handle.ts';
import { multipartReader } from '#http/multipart.ts';
import { importPorts } from '#ports/import.ts';

/** As much as a JSON body may have. */
const MAPPING_BYTES_MAX = 256 * 1024;

export const handler = handle(
  importCsv,
  importPorts,
  async ({ body: { fields, files }, user }, ports) => {
    // Callers differ in which parts they send as files; what is in them is the same.
    const file = files.file?.content ?? fields.file;
    const mapping = files.mapping?.content ?? fields.mapping;
    return ok({ data: await importProjects(ports, user, { file, mapping }) });
  },
  { readMultipart: multipartReader({ file: IMPORT_FILE_BYTES_MAX, mapping: MAPPING_BYTES_MAX }) },
);
