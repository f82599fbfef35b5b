/** How often each of some names was counted. A list, because a name may be anything. */
export type Tally = readonly (readonly [name: string, count: number])[];

/** The name that stands for all that had no place. */
export const OTHER = 'Other';

const byCount = (one: readonly [string, number], other: readonly [string, number]): number =>
  other[1] - one[1] || (one[0] < other[0] ? -1 : 1);

/** Several tallies as one, most frequent first. */
export const addTallies = (...tallies: readonly Tally[]): Tally => {
  const counts = new Map<string, number>();
  for (const [name, count] of tallies.flat()) counts.set(name, (counts.get(name) ?? 0) + count);
  return [...counts].sort(byCount);
};

/** A tally of at most `max` names: the less frequent ones become `Other`, which stands last. */
export const bounded = (tally: Tally, max: number): Tally => {
  const named = tally.filter(([name]) => name !== OTHER);
  const isTooLong = named.length > max;
  const kept = isTooLong ? named.slice(0, max - 1) : named;
  const total = (part: Tally): number => part.reduce((sum, [, count]) => sum + count, 0);
  const rest = total(tally) - total(kept);
  return rest > 0 ? [...kept, [OTHER, rest]] : kept;
};
