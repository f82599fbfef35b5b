// Days are `yyyy-mm-dd`. Figures are counted by UTC days; times are filtered by days of the reader's time zone.

export const DAY_MS = 86_400_000;

/** The UTC day of a time in milliseconds since the epoch. */
export const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(time) && dayOf(time) === text;
};

/**
 * The first (`from`) or last (`to`) moment of a day where the reader is, ISO 8601. A day on which the clock changes has
 * 23 or 25 hours, and begins later where midnight is skipped. A text that is no day stays as it is, for the service to refuse.
 */
export const momentOf = (edge: 'from' | 'to', day: string): string => {
  if (!isDay(day)) return day;
  const isEnd = edge === 'to';
  const midnight = Date.parse(`${isEnd ? dayOf(Date.parse(day) + DAY_MS) : day}T00:00`);
  return new Date(isEnd ? midnight - 1 : midnight).toISOString();
};
