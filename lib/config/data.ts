import * as z from 'zod';
import { REMEMBERED_DAYS } from '#events/memory.ts';

/** Settings of what is kept and for how long. */

/** How long CloudWatch keeps a log; it knows these numbers of days only. */
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
 * Whose key the table is encrypted with: DynamoDB's own, which costs nothing and shows nowhere; the account's key for
 * DynamoDB, whose uses stand in CloudTrail; or a key of this stage alone, whose policy decides who reads.
 */
export const Encryption = z.enum(['dynamodb', 'aws-managed', 'customer']);

/** How long backups are kept that are made beside the recovery of any second. */
export const Backup = z
  .strictObject({
    /** Those of each night. */
    dailyDays: z.int().min(1).max(365),
    /** Those of the first night of each month. */
    monthlyDays: z.int().min(1).max(3650),
  })
  .refine(({ dailyDays, monthlyDays }) => monthlyDays >= dailyDays, {
    error: 'cannot be shorter than dailyDays',
    path: ['monthlyDays'],
  });

/** How long a replay may take, and events may stay in the archive beyond their time, in days. */
const ARCHIVE_SPARE_DAYS = 2;
const ARCHIVE_DAYS_MAX = REMEMBERED_DAYS - ARCHIVE_SPARE_DAYS;

/** How long events can be replayed: no longer than subscribers remember them, or they would act twice. */
export const ArchiveDays = z
  .int()
  .min(1)
  .max(ARCHIVE_DAYS_MAX, {
    error: `cannot be more than ${ARCHIVE_DAYS_MAX}: so long subscribers know what they have dealt with`,
  });
