import { Busboy, type BusboyFileStream } from '@fastify/busboy';
import { header, type MiddlewareRequest, type MultipartBody, paramsOf, type UploadedFile } from '#http/call.ts';
import type { RouteMiddleware } from '#http/middleware.ts';
import { AppError, type FieldIssue, invalidFields, invalidInput, unsupportedMediaType } from '#shared/errors.ts';

/** The size limit of each accepted part, in bytes. */
type PartLimits = Readonly<Record<string, number>>;

const PARTS_MAX = 20;
/** The size limit of boundaries and part headers together, in bytes. */
const OVERHEAD_BYTES_MAX = 64 * 1024;

const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;
const BOUNDARY = /;\s*boundary=/i;

const formatted = (bytes: number): string =>
  bytes >= 1_000_000 ? `${Math.floor(bytes / 100_000) / 10} MB` : `${Math.floor(bytes / 1000)} KB`;

const tooLarge = (limits: PartLimits): AppError => {
  const each = Object.entries(limits).map(([name, limit]) => `"${name}" ${formatted(limit)} (${limit} bytes)`);
  return new AppError('PAYLOAD_TOO_LARGE', {
    message: `The part size limits are ${each.join(', ')}. Split larger content into several requests.`,
  });
};

interface Part {
  readonly name: string | undefined;
  /** Undefined for a text field. */
  readonly filename: string | undefined;
  readonly content: Buffer;
}

/** Splits a body into parts of raw bytes; the caller detects the encoding of files. */
const partsOf = (bytes: Buffer, contentType: string, limits: PartLimits): Promise<Part[]> =>
  new Promise((resolve, reject) => {
    const parts: Part[] = [];
    const malformed = () => reject(invalidInput('The body is not a complete multipart body.'));
    const parser = new Busboy({
      headers: { 'content-type': contentType },
      isPartAFile: () => true,
      // One byte above the largest limit distinguishes truncated parts from those that just fit.
      limits: { parts: PARTS_MAX, fileSize: Math.max(...Object.values(limits)) + 1 },
    });
    parser.on('file', (name: string | undefined, stream: BusboyFileStream, filename: string | undefined) => {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', malformed);
      stream.on('end', () => {
        parts.push({ name, filename, content: Buffer.concat(chunks) });
      });
    });
    parser.on('partsLimit', () => reject(invalidInput(`The body has more than ${PARTS_MAX} parts.`)));
    parser.on('error', malformed);
    parser.on('finish', () => resolve(parts));
    parser.end(bytes);
  });

const bodyOf = (parts: readonly Part[], limits: PartLimits): MultipartBody => {
  const fields = new Map<string, Buffer>();
  const files = new Map<string, UploadedFile>();
  const issues: FieldIssue[] = [];
  for (const { name, filename, content } of parts) {
    if (name === undefined || !Object.hasOwn(limits, name)) {
      const path = name === undefined ? [] : [name];
      issues.push({ path, message: `must not be sent: the parts are ${Object.keys(limits).join(', ')}` });
      continue;
    }
    if (content.length > (limits[name] ?? 0)) throw tooLarge(limits);
    if (fields.has(name) || files.has(name)) issues.push({ path: [name], message: 'must occur only once' });
    if (filename === undefined) fields.set(name, content);
    else files.set(name, { filename, content });
  }
  if (issues.length > 0) throw invalidFields(issues);
  return { fields: Object.fromEntries(fields), files: Object.fromEntries(files) };
};

/**
 * Parses the multipart body of a route that takes files.
 * @returns middleware that throws 413 for a part over its limit, 415 for another media type, 400 for a malformed body.
 */
export const multipart = (limits: PartLimits): RouteMiddleware => ({
  name: 'multipart',
  runsAfter: 'permission',
  before: async (request: MiddlewareRequest): Promise<void> => {
    const { event } = request;
    // An invalid path is 404 before any error of the body, as in `input`.
    paramsOf(request);
    const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
    const bytesMax = Object.values(limits).reduce((sum, limit) => sum + limit, OVERHEAD_BYTES_MAX);
    if (bytes.length > bytesMax) throw tooLarge(limits);
    const contentType = header(event, 'content-type') ?? '';
    if (!MULTIPART.test(contentType)) throw unsupportedMediaType('multipart/form-data');
    if (!BOUNDARY.test(contentType)) throw invalidInput('The Content-Type has no boundary.');
    request.internal.state.multipartBody = bodyOf(await partsOf(bytes, contentType, limits), limits);
  },
});
