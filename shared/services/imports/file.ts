import { readFilePart } from '#platform/object-storage.ts';
import { BlockDecoder, type Encoding } from '#shared/csv/encoding.ts';
import { type CsvRecord, RecordParser, type Separator } from '#shared/csv/parse.ts';

/** The uploaded file of an import: read in blocks, so that memory does not grow with its size. */

/** How much is read at once, in bytes; also what is looked at before the start. */
const BLOCK_BYTES = 1024 * 1024;

/** The file cannot be imported; the message says why. */
export class InvalidFile extends Error {
  override readonly name = 'InvalidFile';
}

export const hasFile = async (importId: string): Promise<boolean> => (await readFilePart(importId, 0, 1)) !== undefined;

/** The beginning of a file. */
export interface FileHead {
  readonly text: string;
  /** As far as the beginning tells it. */
  readonly encoding: Encoding;
  readonly isWhole: boolean;
}

/** @returns undefined when there is no file. */
export const readHead = async (importId: string): Promise<FileHead | undefined> => {
  const part = await readFilePart(importId, 0, BLOCK_BYTES);
  if (!part) return undefined;
  const decoder = new BlockDecoder();
  const isWhole = part.bytes.length === part.size;
  try {
    return { text: decoder.decode(part.bytes, isWhole), encoding: decoder.encoding, isWhole };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The import will fail with a message; until then, what can be read is shown.
    return { text: new TextDecoder().decode(part.bytes), encoding: decoder.encoding, isWhole };
  }
};

/**
 * Reads all records of a file, with the header as the first one, some at a time.
 * @throws {InvalidFile} when the file is gone, or not in one encoding.
 */
export async function* recordsOf(importId: string, separator: Separator): AsyncGenerator<readonly CsvRecord[]> {
  const decoder = new BlockDecoder();
  const parser = new RecordParser(separator);
  let read = 0;
  let lastRecord = 0;
  for (let isLast = false; !isLast; ) {
    const part = await readFilePart(importId, read, BLOCK_BYTES);
    if (!part) throw new InvalidFile('The file does not exist any more.');
    read += part.bytes.length;
    isLast = read >= part.size;
    let text: string;
    try {
      text = decoder.decode(part.bytes, isLast);
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw new InvalidFile(
        `The file is not valid ${decoder.encoding.toUpperCase()} after row ${lastRecord}; save it as "CSV UTF-8".`,
      );
    }
    const records = parser.push(text, isLast);
    lastRecord = records.at(-1)?.number ?? lastRecord;
    if (records.length > 0) yield records;
  }
}
