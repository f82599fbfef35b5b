import * as z from 'zod';
import { AwsError } from './aws-error.ts';

/** A valid entry. */
export interface AcceptedEntry {
  readonly source: string;
  readonly kind: string;
  /** ISO 8601. */
  readonly time: string;
  /** A JSON object, serialised. */
  readonly detail: string;
}

/** The error of one entry in an otherwise successful response. */
interface EntryError {
  readonly ErrorCode: string;
  readonly ErrorMessage: string;
}

const ENTRIES_MAX = 10;
const BYTES_MAX = 256 * 1024;

const PutEvents = z.object({
  Entries: z
    .array(
      z.object({
        Source: z.string().optional(),
        DetailType: z.string().optional(),
        Detail: z.string().optional(),
        // Seconds since the epoch, within the range of `Date`.
        Time: z.number().min(0).max(8e12).optional(),
      }),
    )
    .min(1)
    .max(ENTRIES_MAX),
});
type Entry = z.infer<typeof PutEvents>['Entries'][number];

const isObject = (text: string): boolean => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
};

const validateEntry = ({ Source, DetailType, Detail, Time }: Entry): AcceptedEntry | EntryError => {
  if (!Source || !DetailType || !Detail) {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Source, DetailType and Detail are required arguments.' };
  }
  if (!isObject(Detail)) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  const time = new Date(Time === undefined ? Date.now() : Time * 1000).toISOString();
  return { source: Source, kind: DetailType, time, detail: Detail };
};

/**
 * Validates a request of EventBridge's `PutEvents`.
 * @returns each entry or its error, in order.
 * @throws {AwsError} for a request that EventBridge rejects as a whole.
 */
export const readEntries = (request: unknown): (AcceptedEntry | EntryError)[] => {
  const parsed = PutEvents.safeParse(request);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    throw new AwsError('ValidationException', `1 validation error detected: Value at '${path.join('.')}': ${message}`);
  }
  const { Entries } = parsed.data;
  const bytes = Entries.reduce((sum, one) => sum + Buffer.byteLength(`${one.Detail}${one.DetailType}${one.Source}`), 0);
  if (bytes > BYTES_MAX) {
    throw new AwsError('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  return Entries.map(validateEntry);
};
