import { type Follow, fieldKeyOf, type ListFilters } from '#contract/follows.ts';
import { dayAfter } from './days.ts';

/** The filters of a list as they are written in an address. */
export type FollowQuery = Follow['query'];

/** A list that a user follows. */
export interface FollowRecord {
  readonly id: string;
  readonly user_id: string;
  readonly query: FollowQuery;
  readonly name: string | null;
  readonly frequency: Follow['frequency'];
  /** ISO 8601. */
  readonly created_at: string;
}

/** A digest that was begun. A run that is repeated sends the same one. */
export interface BegunDigest {
  /** The day of its first attempt, which marks its mail as sent. */
  readonly occasion: string;
  /** The day of its last attempt. */
  readonly day: string;
  /** The publication of its newest listing, ISO 8601. */
  readonly through: string;
  readonly weekly: boolean;
}

/** Which digests a user got. `digests` increases with each change. */
export interface DigestState {
  readonly digests: number;
  /** The publication of the newest listing in a digest of daily and of weekly follows; null before the first. */
  readonly daily_through: string | null;
  readonly weekly_through: string | null;
  /** The day of the last one, `yyyy-mm-dd`. */
  readonly mailed_on: string | null;
  readonly begun: BegunDigest | null;
}

/** A query without what belongs to these features, which are switched off. */
export const withoutFeatures = (query: FollowQuery, off: { readonly search: boolean; readonly fields: boolean }) =>
  Object.fromEntries(
    Object.entries(query).filter(
      ([name]) => !(off.search && name === 'match') && !(off.fields && fieldKeyOf(name) !== undefined),
    ),
  );

/** Whether a query filters by fields. */
export const hasFieldFilters = (query: FollowQuery): boolean =>
  Object.keys(query).some((name) => fieldKeyOf(name) !== undefined);

/** A text that is equal for equal queries, however their members are ordered. */
export const canonical = ({ filter, radius_km, match, ...filters }: ListFilters): string => {
  const effective: Record<string, unknown> = {
    ...filters,
    ...(filters.q !== undefined && { match }),
    ...(filters.near && { radius_km }),
    ...(filter && { filter: Object.entries(filter).toSorted(([one], [other]) => (one < other ? -1 : 1)) }),
  };
  const byName = Object.entries(effective).filter(([, value]) => value !== undefined);
  return JSON.stringify(byName.toSorted(([one], [other]) => (one < other ? -1 : 1)));
};

/** Whether a follow is in the digest of a day. @param monday whether the day is one. */
export const isDue = ({ frequency }: FollowRecord, monday: boolean): boolean => frequency === 'daily' || monday;

const later = (one: string | null, other: string): string => (one !== null && one > other ? one : other);

/** A time up to the end of a day; null for one that a clock which was ahead has stored. */
const upTo = (day: string, time: string | null): string | null =>
  time !== null && time < dayAfter(day, 1) ? time : null;

/** What changes when a digest has been sent. */
export const ended = (state: DigestState, { day, through, weekly }: BegunDigest): Partial<DigestState> => ({
  begun: null,
  mailed_on: day,
  daily_through: later(upTo(day, state.daily_through), through),
  ...(weekly && { weekly_through: later(upTo(day, state.weekly_through), through) }),
});

/**
 * The time after which publications are new to a follow, ISO 8601: that of the last digest, or of the follow. Where a clock that
 * was ahead has stored one of them, the day or the week before the day of the run: its listings can be repeated, older ones are
 * passed over.
 */
export const newSince = ({ frequency, created_at }: FollowRecord, state: DigestState, day: string): string => {
  const through = frequency === 'daily' ? state.daily_through : state.weekly_through;
  const since = later(through, created_at);
  return upTo(day, since) ?? dayAfter(day, frequency === 'daily' ? -1 : -7);
};
