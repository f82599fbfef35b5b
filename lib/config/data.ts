import * as z from 'zod';
import { feedPartitions } from '#data/keys.ts';
import { DEDUPLICATION_DAYS } from '#events/subscriptions.ts';

/** Settings of retention and encryption. */

/** Log retention in days, limited to values that CloudWatch supports. */
export const LogDays = z.union([
  z.literal(3),
  z.literal(7),
  z.literal(14),
  z.literal(30),
  z.literal(90),
  z.literal(180),
  z.literal(365),
]);

/**
 * The key of the table: owned by DynamoDB (free, not visible), managed by AWS in the account (uses appear in
 * CloudTrail), or a customer-managed key of this stage with its own policy.
 */
export const Encryption = z.enum(['dynamodb', 'aws-managed', 'customer']);

/**
 * How many partitions of the feed index the stage writes to: 500 changes a second each, and half a read unit a second for
 * each in every busy process with the catalog. See ADR 34. It can be raised and lowered at any time.
 */
export const FeedShards = z.int().min(1).max(feedPartitions.length);

/** Units a second that a new on-demand table takes. */
export const NEW_TABLE = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4000 };

/**
 * Units a second that the table takes from the beginning; it costs once, when it is set or raised. The indexes have the
 * values of a new table. DynamoDB refuses values below the present ones of the table, which grow with its load.
 */
export const WarmThroughput = z.strictObject({
  readUnitsPerSecond: z.int().min(NEW_TABLE.readUnitsPerSecond),
  writeUnitsPerSecond: z.int().min(NEW_TABLE.writeUnitsPerSecond),
});

/** Retention of AWS Backup recovery points. */
export const Backup = z
  .strictObject({
    /** Of the nightly backups. */
    dailyDays: z.int().min(1).max(365),
    /** Of the monthly backups. */
    monthlyDays: z.int().min(1).max(3650),
  })
  .refine(({ dailyDays, monthlyDays }) => monthlyDays >= dailyDays, {
    error: 'cannot be shorter than dailyDays',
    path: ['monthlyDays'],
  });

/** Days reserved for the duration of a replay and for late expiry of archived events. */
const ARCHIVE_MARGIN_DAYS = 2;
const ARCHIVE_DAYS_MAX = DEDUPLICATION_DAYS - ARCHIVE_MARGIN_DAYS;

/** Archive retention: shorter than the retention of deduplication records, or a replay would be processed twice. */
export const ArchiveDays = z
  .int()
  .min(1)
  .max(ARCHIVE_DAYS_MAX, {
    error: `cannot be more than ${ARCHIVE_DAYS_MAX}: subscribers remember processed events only so long`,
  });
