import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { AppError, type FieldErrors, invalidFields, invalidInput, unsupportedMediaType } from '#shared/errors.ts';
import { header, type MultipartBody, type UploadedFile } from './call.ts';

/** The parts that a route takes, with the most bytes that each may have. Other parts are passed over. */
export type PartLimits = Readonly<Record<string, number>>;

const PARTS_MAX = 20;
/** What the boundaries and heads of the parts may take, in bytes. */
const OVERHEAD_BYTES_MAX = 64 * 1024;

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=/i;

const inWords = (bytes: number): string =>
  bytes >= 1_000_000 ? `${Math.floor(bytes / 100_000) / 10} MB` : `${Math.floor(bytes / 1000)} KB`;

const tooLarge = (limits: PartLimits): AppError => {
  const each = Object.entries(limits).map(
    ([name, limit]) => `the part "${name}" at most ${inWords(limit)} (${limit} bytes)`,
  );
  return new AppError('PAYLOAD_TOO_LARGE', { message: `Of one request, ${each.join(', ')}. Send more in several.` });
};

interface Part {
  readonly name: string;
  /** Undefined when it came as plain text. */
  readonly filename: string | undefined;
  readonly content: Buffer;
}

/** Takes a body apart. Every part is taken as bytes: which encoding a file is in is for whoever reads it to find out. */
const partsOf = (bytes: Buffer, contentType: string, limits: PartLimits): Promise<Part[]> =>
  new Promise((resolve, reject) => {
    const parts: Part[] = [];
    const malformed = () => reject(invalidInput('The body is not a complete multipart body.'));
    const reader = new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: () => true,
      // One byte more than the largest part may have: so what is too large can be told from what just fits.
      limits: { parts: PARTS_MAX, fileSize: Math.max(...Object.values(limits)) + 1 },
    });
    reader.on('file', (name: string | undefined, stream: BusboyFileStream, filename: string | undefined) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', malformed);
      stream.on('end', () => {
        if (name !== undefined && Object.hasOwn(limits, name)) {
          parts.push({ name, filename, content: Buffer.concat(chunks) });
        }
      });
    });
    reader.on('partsLimit', () => reject(invalidInput(`The body has more than ${PARTS_MAX} parts.`)));
    reader.on('error', malformed);
    reader.on('finish', () => resolve(parts));
    reader.end(bytes);
  });

const bodyOf = (parts: readonly Part[], limits: PartLimits): MultipartBody => {
  const fields = new Map<string, string>();
  const files = new Map<string, UploadedFile>();
  const twice = new Map<string, FieldErrors>();
  for (const { name, filename, content } of parts) {
    if (content.length > (limits[name] ?? 0)) throw tooLarge(limits);
    if (fields.has(name) || files.has(name)) twice.set(name, { _errors: ['must be given once'] });
    if (filename === undefined) fields.set(name, content.toString('utf8'));
    else files.set(name, { filename, content });
  }
  if (twice.size > 0) throw invalidFields({ _errors: [], ...Object.fromEntries(twice) });
  return { fields: Object.fromEntries(fields), files: Object.fromEntries(files) };
};

/**
 * Makes the reader of multipart bodies for a route that takes files.
 * @returns a function that throws 413 for a part that is too large, 415 for another media type, 400 for a broken body.
 */
export const multipartReader =
  (limits: PartLimits) =>
  async (event: APIGatewayProxyEvent): Promise<MultipartBody> => {
    const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    const bytesMax = Object.values(limits).reduce((sum, limit) => sum + limit, OVERHEAD_BYTES_MAX);
    if (bytes.length > bytesMax) throw tooLarge(limits);
    const contentType = header(event, 'content-type') ?? '';
    if (!MULTIPART.test(contentType)) throw unsupportedMediaType('multipart/form-data');
    if (!BOUNDARY.test(contentType)) throw invalidInput('The media type of the body names no boundary.');
    return bodyOf(await partsOf(bytes, contentType, limits), limits);
  };
