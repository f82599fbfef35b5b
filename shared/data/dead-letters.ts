import type { DeadLetter } from '#contract/dead-letters.ts';
import { deduplicationRecord } from './deduplication.ts';
import { fromJsonText, toJsonText } from './json-text.ts';
import { deadLetterCountKey, deadLetterKey, deadLetterPrefix, deadLettersPartition } from './keys.ts';
import { collectionPages, findItem, findRecord, firstOfCollection, type Item, recordOf } from './read.ts';
import { absent, exists, is, tryTransact, updateItem, type Write } from './write.ts';

const deadLetterItem = (letter: DeadLetter): Item => ({
  type: 'deadLetter',
  ...letter,
  event: toJsonText(letter.event),
});

const deadLetterOf = (item: Item): DeadLetter => ({
  ...recordOf<DeadLetter>(item),
  event: fromJsonText(item.event) as DeadLetter['event'],
});

// The number of dead letters is an item of its own, so that it is exact and as cheap to read for many of them as for few.
const countLetters = (change: 1 | -1): Write => ({
  update: deadLetterCountKey,
  change: { set: { type: 'deadLetterCount' }, add: { letters: change } },
});

export const countDeadLetters = async (): Promise<number> => Number((await findItem(deadLetterCountKey))?.letters ?? 0);

/**
 * Stores a dead letter once, also if its message is received again after the dead letter was removed.
 * @returns false when it was stored before.
 */
export const insertDeadLetter = (letter: DeadLetter): Promise<boolean> =>
  tryTransact([
    { put: { ...deadLetterKey(letter.id), ...deadLetterItem(letter) }, when: absent },
    deduplicationRecord('letters', letter.id),
    countLetters(1),
  ]);

/** Reads a dead letter, strongly consistent. */
export const findDeadLetter = (id: string) => findRecord(deadLetterKey(id), deadLetterOf);

/** Letters, the latest failure first, older than the one with the id `after`. */
export async function* deadLettersAfter(after: string | undefined, count: number): AsyncGenerator<DeadLetter> {
  const before = after === undefined ? {} : { before: deadLetterKey(after).sk };
  const range = { partition: deadLettersPartition, prefix: deadLetterPrefix, newestFirst: true, pageSize: count };
  for await (const items of collectionPages({ ...range, ...before })) yield* items.map(deadLetterOf);
}

/** The ids of the oldest letters with ids below another one. */
export const deadLetterIdsBefore = async (before: string, count: number): Promise<string[]> => {
  const range = { partition: deadLettersPartition, prefix: deadLetterPrefix, before: deadLetterKey(before).sk };
  return (await firstOfCollection(range, count)).map(({ id }) => String(id));
};

/** Replaces the event of a dead letter. @returns false when it was changed or removed concurrently. */
export const replaceDeadEvent = async (letter: DeadLetter, event: DeadLetter['event']): Promise<boolean> => {
  const isUnchanged = is('event', toJsonText(letter.event));
  return (await updateItem(deadLetterKey(letter.id), { set: { event: toJsonText(event) } }, isUnchanged)) !== undefined;
};

/** Deletes a dead letter. @returns whether it existed. */
export const deleteDeadLetter = (id: string): Promise<boolean> =>
  tryTransact([{ delete: deadLetterKey(id), when: exists }, countLetters(-1)]);
