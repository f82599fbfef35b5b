import { type Hours, weekdays } from '#contract/custom-fields.ts';
import { DAY_MS } from './days.ts';

const DAY_MINUTES = 24 * 60;

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** A span of a day in minutes since its beginning. One that ends before it begins ends on the next day. */
export const minutesOfSpan = ([begin = '', end = '']: readonly string[]): readonly [number, number] => {
  const [from, to] = [minutesOf(begin), minutesOf(end)];
  return [from, to < from ? to + DAY_MINUTES : to];
};

/** What clocks and calendars of a time zone show. */
export interface LocalTime {
  /** 0 is Monday. */
  readonly weekday: number;
  /** `YYYY-MM-DD`. */
  readonly date: string;
  readonly dayBefore: string;
  /** Since midnight, of the clock. */
  readonly minutes: number;
}

const formats = new Map<string, Intl.DateTimeFormat>();

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const format =
    formats.get(zone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
    });
  formats.set(zone, format);
  return format;
};

/** @param at milliseconds since the epoch. */
export const localTime = (zone: string, at: number): LocalTime => {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const day = Date.UTC(parts.get('year') ?? 0, (parts.get('month') ?? 1) - 1, parts.get('day') ?? 1);
  const dateOf = (time: number): string => new Date(time).toISOString().slice(0, 10);
  return {
    // 1 January 1970 was a Thursday.
    weekday: (((day / DAY_MS + 3) % 7) + 7) % 7,
    date: dateOf(day),
    dayBefore: dateOf(day - DAY_MS),
    minutes: (parts.get('hour') ?? 0) * 60 + (parts.get('minute') ?? 0),
  };
};

const isWithinSpan = (spans: readonly (readonly string[])[] | undefined, minutes: number): boolean =>
  spans?.some((span) => {
    const [from, to] = minutesOfSpan(span);
    return from <= minutes && minutes < to;
  }) === true;

/** Whether opening hours include a time of their zone. On a closed date no span begins. */
export const isOpenAt = ({ week, closed }: Hours, { weekday, date, dayBefore, minutes }: LocalTime): boolean => {
  const spansOf = (day: number) => week[weekdays[(day + 7) % 7] ?? 'mo'];
  return (
    (!closed.includes(date) && isWithinSpan(spansOf(weekday), minutes)) ||
    (!closed.includes(dayBefore) && isWithinSpan(spansOf(weekday - 1), minutes + DAY_MINUTES))
  );
};
