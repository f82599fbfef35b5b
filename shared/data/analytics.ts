import { createHmac, randomBytes } from 'node:crypto';
import { endOfDaySeconds } from '#domain/analytics/days.ts';
import type { TrackedBatch, TrackedLine } from '#domain/analytics/track.ts';
import { absent } from './conditions.ts';
import { type Key, saltKey, saltsPartition, trackedKey } from './keys.ts';
import { findItem, type Item, wholeCollection } from './read.ts';
import { putItem } from './write.ts';

/**
 * What requests have brought and nobody has rolled up yet. It says what was done and not by whom: a visitor stands there
 * under a salt that is made anew each day, known to this table alone, and thrown away with the day.
 */

/** How long after its day something goes in any case, in seconds, also when nothing is rolled up any more. */
const GRACE_SECONDS = 7 * 86_400;
const SALT_BYTES = 32;
/** So many that among millions no two are likely to be the same: 72 bits. */
const VISITOR_DIGITS = 18;

/** When nothing is left of the visitors of a day in any case, in seconds since the epoch. */
export const forgottenBy = (day: string): number => endOfDaySeconds(day) + GRACE_SECONDS;

let salt: { readonly day: string; readonly value: string } | undefined;

/** The salt of a day, made by whoever needs it first: all processes have the same. */
const saltOf = async (day: string): Promise<string> => {
  if (salt?.day === day) return salt.value;
  const key = saltKey(day);
  const known = await findItem(key);
  let value = known?.salt as string | undefined;
  if (value === undefined) {
    const made = randomBytes(SALT_BYTES).toString('base64url');
    const isMine = await putItem({ ...key, type: 'salt', salt: made, ttl: forgottenBy(day) }, absent);
    value = isMine ? made : ((await findItem(key))?.salt as string);
  }
  salt = { day, value };
  return value;
};

/** The days of which something may wait, oldest first: those that have a salt. */
export const openDays = async (): Promise<string[]> =>
  (await wholeCollection({ partition: saltsPartition, only: ['sk'] })).map(({ sk }) => String(sk));

/** Makes what tells a visitor from others unreadable: the same on one day, unrelated on any other. */
export const visitorOf = async (day: string, signs: readonly string[]): Promise<string> =>
  createHmac('sha256', await saltOf(day))
    .update(JSON.stringify(signs))
    .digest('hex')
    .slice(0, VISITOR_DIGITS);

/** Keeps what one request brought, as one item. */
export const insertTracked = async ({ lines, ...batch }: TrackedBatch): Promise<void> => {
  // The salt says that something of this day may wait, also where no visitor needs it.
  await saltOf(batch.day);
  await putItem({
    ...trackedKey(batch.day, batch.id),
    type: 'tracked',
    ...batch,
    lines: lines.map(({ type, project, referrer, count }) => [type, project, referrer, count]),
    ttl: forgottenBy(batch.day),
  } satisfies Item & Key);
};

type StoredLine = readonly [TrackedLine['type'], string | null, string | null, number];

/** What one request brought, as it is kept. */
export const trackedOfItem = (item: Item): TrackedBatch => ({
  id: String(item.id),
  day: String(item.day),
  visitor: (item.visitor ?? null) as string | null,
  country: String(item.country),
  browser: String(item.browser),
  device: String(item.device),
  lines: (item.lines as readonly StoredLine[]).map(([type, project, referrer, count]) => ({
    type,
    project,
    referrer,
    count,
  })),
  done: Number(item.done),
});
