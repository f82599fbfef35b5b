import { createHmac, randomBytes } from 'node:crypto';
import { endOfDaySeconds } from '#domain/analytics/days.ts';
import { DAYS_BACK } from '#domain/analytics/roll-up.ts';
import type { TrackedBatch, TrackedLine } from '#domain/analytics/track.ts';
import { absent } from './conditions.ts';
import { type Key, saltKey, trackedKey } from './keys.ts';
import { findItem, type Item } from './read.ts';
import { putItem } from './write.ts';

/**
 * What requests have brought and nobody has rolled up yet. It says what was done and not by whom: a visitor stands there
 * under a salt that is made anew each day, known to this table alone, and thrown away with the day.
 */

const DAY_SECONDS = 86_400;
const SALT_BYTES = 32;
/** So many that among millions no two are likely to be the same: 72 bits. */
const VISITOR_DIGITS = 18;

let salt: { readonly day: string; readonly value: string } | undefined;

/** The salt of a day, made by whoever needs it first: all processes have the same. */
const saltOf = async (day: string): Promise<string> => {
  if (salt?.day === day) return salt.value;
  const key = saltKey(day);
  const known = await findItem(key);
  let value = known?.salt as string | undefined;
  if (value === undefined) {
    const made = randomBytes(SALT_BYTES).toString('base64url');
    const isMine = await putItem({ ...key, type: 'salt', salt: made, ttl: endOfDaySeconds(day) }, absent);
    value = isMine ? made : ((await findItem(key))?.salt as string);
  }
  salt = { day, value };
  return value;
};

/** Makes what tells a visitor from others unreadable: the same on one day, unrelated on any other. */
export const visitorOf = async (day: string, signs: readonly string[]): Promise<string> =>
  createHmac('sha256', await saltOf(day))
    .update(JSON.stringify(signs))
    .digest('hex')
    .slice(0, VISITOR_DIGITS);

/** Keeps what one request brought, as one item. */
export const insertTracked = async ({ lines, ...batch }: TrackedBatch): Promise<void> => {
  await putItem({
    ...trackedKey(batch.day, batch.id),
    type: 'tracked',
    ...batch,
    lines: lines.map(({ type, project, referrer, count }) => [type, project, referrer, count]),
    // Behind the last day on which it would be looked for.
    ttl: endOfDaySeconds(batch.day) + (DAYS_BACK + 1) * DAY_SECONDS,
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
