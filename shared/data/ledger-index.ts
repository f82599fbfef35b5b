import { isIndexed, ledgerPages } from './ledgers.ts';
import { MENTIONED, mentionItems } from './mentions.ts';
import { projectPlaceOf } from './outbox.ts';
import { type Item, keyOf } from './read.ts';
import { type Condition, every, exists, tryTransact } from './write.ts';

/** The attributes that name users are as they were read: an erasure may run at the same time. */
const isUnchanged =
  (entry: Item): Condition =>
  (p) =>
    ['actor_id', 'data', 'subjects', 'input']
      .filter((attribute) => entry[attribute] !== undefined)
      .map((attribute) => `${p.name(attribute)} = ${p.value(entry[attribute])}`)
      .join(' AND ');

/** The place of an event among those about its project; earlier versions did not have it. */
const placeOf = (entry: Item): Item =>
  entry.type === 'event' ? projectPlaceOf({ id: String(entry.id), data: entry.data }) : {};

const isComplete = (entry: Item): boolean =>
  isIndexed(entry) && (entry.feed_pk !== undefined || Object.keys(placeOf(entry)).length === 0);

const indexEntry = (entry: Item): Promise<boolean> => {
  const key = keyOf(entry);
  return tryTransact([
    ...mentionItems([{ ...entry, ...key }]).map((put) => ({ put })),
    { update: key, change: { set: { ...MENTIONED, ...placeOf(entry) } }, when: every(exists, isUnchanged(entry)) },
  ]);
};

/** Concurrent transactions, as many as the connection pool serves without queueing. */
const CONCURRENCY = 8;

/**
 * Stores the mentions of entries that an earlier version wrote, and the places of events among those of their project. Safe to interrupt and to repeat.
 * @returns how many entries it indexed, and how many changed meanwhile, for which it has to be repeated.
 */
export const indexLedgers = async (): Promise<{ readonly indexed: number; readonly changed: number }> => {
  let indexed = 0;
  let changed = 0;
  for await (const page of ledgerPages()) {
    const entries = page.filter((entry) => !isComplete(entry));
    for (let start = 0; start < entries.length; start += CONCURRENCY) {
      const results = await Promise.all(entries.slice(start, start + CONCURRENCY).map(indexEntry));
      indexed += results.filter(Boolean).length;
      changed += results.filter((isDone) => !isDone).length;
    }
  }
  return { indexed, changed };
};
