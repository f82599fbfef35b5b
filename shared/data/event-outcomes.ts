import { now, secondsFromNow } from '#platform/clock.ts';
import { eventOutcomeKey, eventOutcomesPartition } from './keys.ts';
import { EVENT_SECONDS } from './outbox.ts';
import { orNull, wholeCollection } from './read.ts';
import { lacks, updateItem } from './write.ts';

/** The result of the latest run of a subscriber for an event. */
export interface EventOutcome {
  readonly subscriber: string;
  /** The name of the error; null after a success. */
  readonly error: string | null;
  /** The number of runs. */
  readonly runs: number;
  /** The end of the latest run, ISO 8601. */
  readonly at: string;
}

/** Records the end of a run. A failure does not replace a success, which a repeated delivery may follow. */
export const recordOutcome = async (eventId: string, subscriber: string, error: string | null): Promise<void> => {
  const result = { type: 'eventOutcome', at: now(), error, ttl: secondsFromNow(EVENT_SECONDS) };
  const change =
    error === null ? { set: { ...result, is_done: true }, add: { runs: 1 } } : { set: result, add: { runs: 1 } };
  await updateItem(eventOutcomeKey(eventId, subscriber), change, error === null ? undefined : lacks('is_done'));
};

/** The recorded results for an event, by subscriber. */
export const outcomesOf = async (eventId: string): Promise<ReadonlyMap<string, EventOutcome>> => {
  const items = await wholeCollection({ partition: eventOutcomesPartition(eventId) });
  return new Map(
    items.map(({ sk, error, runs, at }) => [
      String(sk),
      { subscriber: String(sk), error: orNull<string>(error), runs: Number(runs), at: String(at) },
    ]),
  );
};
