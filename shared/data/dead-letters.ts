import type { DeadLetter } from '#contract/letters.ts';
import { DEDUPLICATION_SECONDS } from '#events/subscriptions.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { deadLetterCountKey, deadLetterKey, deadLetterPrefix, deadLettersPartition, deduplicationKey } from './keys.ts';
import { collectionPages, findItem, firstOfCollection, type Item } from './read.ts';
import { absent, exists, tryTransact, type Write } from './write.ts';

const letterItem = (letter: DeadLetter): Item => ({
  type: 'deadLetter',
  ...letter,
  // As JSON text, because DynamoDB maps do not keep the order of members.
  event: JSON.stringify(letter.event),
});

const letterOf = (item: Item): DeadLetter => ({
  id: String(item.id),
  subscriber: String(item.subscriber),
  kind: String(item.kind),
  event_id: item.event_id as string | null,
  failed_at: String(item.failed_at),
  error: item.error as string | null,
  event: JSON.parse(String(item.event)) as DeadLetter['event'],
});

// The number of letters is an item of its own, so that it is exact and as cheap to read for many of them as for few.
const countLetters = (change: 1 | -1): Write => ({
  update: deadLetterCountKey,
  change: { set: { type: 'deadLetterCount' }, add: { letters: change } },
});

/** The exact number of dead letters. */
export const countDeadLetters = async (): Promise<number> => Number((await findItem(deadLetterCountKey))?.letters ?? 0);

/**
 * Stores a letter once, also if its message is received again after the letter was removed.
 * @returns false when it was stored before.
 */
export const insertDeadLetter = (letter: DeadLetter): Promise<boolean> =>
  tryTransact([
    { put: { ...deadLetterKey(letter.id), ...letterItem(letter) }, when: absent },
    {
      put: {
        ...deduplicationKey('letters', letter.id),
        type: 'receipt',
        state: 'done',
        ttl: secondsFromNow(DEDUPLICATION_SECONDS),
      },
      when: absent,
    },
    countLetters(1),
  ]);

/** Reads a letter, strongly consistent. */
export const findDeadLetter = async (id: string): Promise<DeadLetter | undefined> => {
  const item = await findItem(deadLetterKey(id));
  return item && letterOf(item);
};

/** Letters, the latest failure first, older than the one with the id `after`. */
export async function* deadLettersAfter(after: string | undefined, count: number): AsyncGenerator<DeadLetter> {
  const before = after === undefined ? {} : { before: deadLetterKey(after).sk };
  const range = { partition: deadLettersPartition, prefix: deadLetterPrefix, newestFirst: true, pageSize: count };
  for await (const items of collectionPages({ ...range, ...before })) yield* items.map(letterOf);
}

/** The ids of the oldest letters with ids below another one. */
export const deadLetterIdsBefore = async (before: string, count: number): Promise<string[]> => {
  const range = { partition: deadLettersPartition, prefix: deadLetterPrefix, before: deadLetterKey(before).sk };
  return (await firstOfCollection(range, count)).map(({ id }) => String(id));
};

/** Deletes a letter. @returns whether it existed. */
export const deleteDeadLetter = (id: string): Promise<boolean> =>
  tryTransact([{ delete: deadLetterKey(id), when: exists }, countLetters(-1)]);
