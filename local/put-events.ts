import * as z from 'zod';
import { AwsFailure } from './aws-failure.ts';

/** An entry that the bus takes. */
export interface AcceptedEntry {
  readonly source: string;
  readonly kind: string;
  /** When it happened, as ISO 8601. */
  readonly time: string;
  /** A JSON object, as text. */
  readonly detail: string;
}

/** Why one entry is not taken while others are. */
export interface EntryFault {
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
        // Seconds since the epoch, within the days that a date can name.
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
    // Text that does not parse is no object.
    return false;
  }
};

const judge = ({ Source, DetailType, Detail, Time }: Entry): AcceptedEntry | EntryFault => {
  if (!Source || !DetailType || !Detail) {
    return { ErrorCode: 'InvalidArgument', ErrorMessage: 'Source, DetailType and Detail are required arguments.' };
  }
  if (!isObject(Detail)) return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is malformed.' };
  const time = new Date(Time === undefined ? Date.now() : Time * 1000).toISOString();
  return { source: Source, kind: DetailType, time, detail: Detail };
};

/**
 * Reads a request of EventBridge's PutEvents.
 * @returns each entry, or why it is not taken.
 * @throws {AwsFailure} for a request that EventBridge refuses as a whole.
 */
export const readEntries = (request: unknown): (AcceptedEntry | EntryFault)[] => {
  const parsed = PutEvents.safeParse(request);
  if (!parsed.success) {
    const { path = [], message = '' } = parsed.error.issues[0] ?? {};
    throw new AwsFailure(
      'ValidationException',
      `1 validation error detected: Value at '${path.join('.')}': ${message}`,
    );
  }
  const { Entries } = parsed.data;
  const bytes = Entries.reduce((sum, one) => sum + Buffer.byteLength(`${one.Detail}${one.DetailType}${one.Source}`), 0);
  if (bytes > BYTES_MAX) {
    throw new AwsFailure('ValidationException', 'Total size of the entries in the request is over the limit.');
  }
  return Entries.map(judge);
};
