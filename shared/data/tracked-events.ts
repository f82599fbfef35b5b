import { createHmac, randomBytes } from 'node:crypto';
import type { Portion, RollUpStep, SeenVisitor, SiteDay, TrackedBatch, TrackedLine } from '#model/analytics.ts';
import { endOfDaySeconds } from '#model/days.ts';
import { figuresItem } from './analytics.ts';
import { countReaction, projectIsOpen } from './counts.ts';
import {
  type Key,
  projectDayKey,
  saltKey,
  saltsPartition,
  siteDayKey,
  trackedKey,
  trackedPartition,
  trackedShards,
  visitorKey,
  visitorShards,
  visitorsPartition,
} from './keys.ts';
import { addToPromotion } from './promotions.ts';
import { collectionPages, findItem, findItems, firstOfCollection, type Item, keyOf, wholeCollection } from './read.ts';
import { absent, ConditionFailed, deleteItems, every, exists, is, putItem, transact, type Write } from './write.ts';

/** Time to live after the end of the day, in seconds: deletes visitors even when no roll-up runs. */
const GRACE_SECONDS = 7 * 86_400;
const SALT_BYTES = 32;
/** Length of a visitor hash in hexadecimal digits: 72 bits, so that collisions among millions are unlikely. */
const VISITOR_DIGITS = 18;

const expiryOf = (day: string): number => endOfDaySeconds(day) + GRACE_SECONDS;

let salt: { readonly day: string; readonly value: string } | undefined;

/** The salt of a day, shared by all processes; created by the first. */
const saltOf = async (day: string): Promise<string> => {
  if (salt?.day === day) return salt.value;
  const key = saltKey(day);
  let value = (await findItem(key))?.salt as string | undefined;
  if (value === undefined) {
    const created = randomBytes(SALT_BYTES).toString('base64url');
    const isFirst = await putItem({ ...key, type: 'salt', salt: created, ttl: expiryOf(day) }, absent);
    value = isFirst ? created : ((await findItem(key))?.salt as string);
  }
  salt = { day, value };
  return value;
};

/** The hash of a visitor: equal on one day, unrelated on any other. The salt is stored only in the table. */
export const visitorHash = async (day: string, signals: readonly string[]): Promise<string> =>
  createHmac('sha256', await saltOf(day))
    .update(JSON.stringify(signals))
    .digest('hex')
    .slice(0, VISITOR_DIGITS);

/** The days that have not been closed, oldest first. */
export const openDays = async (): Promise<string[]> =>
  (await wholeCollection({ partition: saltsPartition, only: ['sk'] })).map(({ sk }) => String(sk));

/** Lines are stored as arrays, which take less space than maps. */
type StoredLine = readonly [TrackedLine['type'], project: string | null, referrer: string | null, count: number];

/** Stores the events of one request in one item. */
export const insertTracked = async ({ lines, ...batch }: TrackedBatch): Promise<void> => {
  // Creates the salt, which marks the day as open, for batches without a visitor too.
  await saltOf(batch.day);
  await putItem({
    ...trackedKey(batch.day, batch.id),
    type: 'tracked',
    ...batch,
    lines: lines.map(({ type, project, referrer, count }): StoredLine => [type, project, referrer, count]),
    ttl: expiryOf(batch.day),
  } satisfies Item & Key);
};

const batchOf = (item: Item): TrackedBatch => ({
  id: String(item.id),
  day: String(item.day),
  hour: Number(item.hour ?? 0),
  visitor: (item.visitor ?? null) as string | null,
  counted: item.counted !== false,
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

/** Batches read from each shard; together more than one transaction takes. */
const BATCHES_PER_SHARD = 25;
/** Visitors deleted by one run; the next run continues. */
const DELETED_VISITORS_MAX = 20_000;

/** Some of the batches of a day that have not been rolled up. */
export const findTracked = async (day: string): Promise<TrackedBatch[]> => {
  const read = (shard: string) => firstOfCollection({ partition: trackedPartition(day, shard) }, BATCHES_PER_SHARD);
  return (await Promise.all(trackedShards.map(read))).flat().map(batchOf);
};

/** The stored ones of some visitors of a day. */
export const findVisitors = async (day: string, visitors: readonly string[]): Promise<SeenVisitor[]> => {
  const items = await findItems(visitors.map((visitor) => visitorKey(day, visitor)));
  return items.flatMap((item) =>
    item ? [{ visitor: String(item.visitor), hours: new Map(JSON.parse(String(item.hours ?? '[]'))) }] : [],
  );
};

/** Deletes a batch, or marks the first lines of it as rolled up. */
const consume = ({ batch, upTo }: Portion): Write => {
  const key = trackedKey(batch.day, batch.id);
  const when = every(exists, is('done', batch.done));
  return upTo === batch.lines.length ? { delete: key, when } : { update: key, change: { set: { done: upTo } }, when };
};

const projectWrites = (day: string, { id, views, figures }: RollUpStep['projects'][number]): Write[] => [
  // A conflict rather than a 404: the step is computed again without the project.
  {
    ...(views > 0 ? countReaction(id, { views_count: views }) : projectIsOpen(id)),
    orElse: () => new ConditionFailed(`${id} is no longer live.`),
  },
  { put: { ...projectDayKey(id, day), project_id: id, ...figuresItem(figures) } },
];

/**
 * Adds a step to the figures and deletes the rolled-up lines in one transaction.
 * @throws {ConditionFailed} after a concurrent roll-up of the day, or when a project is no longer live.
 */
export const applyStep = async (step: RollUpStep): Promise<void> => {
  const { previous, next, portions, visitors, projects, promotions } = step;
  const { day } = next;
  const ttl = expiryOf(day);
  await transact([
    {
      put: { ...siteDayKey(day), ...figuresItem(next) },
      when: previous ? is('version', previous.version) : absent,
    },
    ...portions.map(consume),
    ...visitors.map(
      // As text, because a map of a thousand entries takes twice the space.
      ({ visitor, hours }): Write => ({
        put: { ...visitorKey(day, visitor), type: 'visitor', visitor, hours: JSON.stringify([...hours]), ttl },
      }),
    ),
    ...projects.flatMap((project) => projectWrites(day, project)),
    ...promotions.map(({ id, counts }) => addToPromotion(id, counts)),
  ]);
};

/** Deletes a day's visitor hashes. @returns true when none remain. */
export const deleteVisitors = async (day: string): Promise<boolean> => {
  let deleted = 0;
  for (const shard of visitorShards) {
    const pages = collectionPages({ partition: visitorsPartition(day, shard), only: ['pk', 'sk'] });
    for await (const items of pages) {
      if (deleted >= DELETED_VISITORS_MAX) return false;
      await deleteItems(items.map(keyOf));
      deleted += items.length;
    }
  }
  return true;
};

/** Deletes the salt of a day and marks its figures as closed. @throws {ConditionFailed} after a concurrent roll-up. */
export const closeDay = async (day: string, known: SiteDay | undefined): Promise<void> => {
  await transact([
    { delete: saltKey(day) },
    known
      ? {
          update: siteDayKey(day),
          change: { set: { closed: true }, add: { version: 1 } },
          when: is('version', known.version),
        }
      : { check: siteDayKey(day), when: absent },
  ]);
};
