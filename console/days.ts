// Days are `yyyy-mm-dd`. Figures are counted by UTC days; times are filtered by days of the reader's time zone.

export const DAY_MS = 86_400_000;

/** @param time ISO 8601, or milliseconds since the epoch. */
export const utcDayOf = (time: string | number): string => new Date(time).toISOString().slice(0, 10);

/** Whether a text is a day that exists. */
export const isDay = (text: string): boolean => {
  const time = Date.parse(`${text}T00:00Z`);
  return !Number.isNaN(time) && utcDayOf(time) === text;
};

/**
 * The first (`from`) or last (`to`) moment of a day where the reader is, ISO 8601. A day on which the clock changes is
 * shorter or longer, and begins later where midnight is skipped. A text that is no day stays as it is, for the service to refuse.
 */
export const momentOf = (edge: 'from' | 'to', text: string): string => {
  const day = text.trim();
  if (!isDay(day)) return text;
  const isEnd = edge === 'to';
  const midnight = Date.parse(`${isEnd ? utcDayOf(Date.parse(day) + DAY_MS) : day}T00:00`);
  return new Date(isEnd ? midnight - 1 : midnight).toISOString();
};
