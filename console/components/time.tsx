import { Store, useStore } from '../app/store.ts';
import { utcDayOf } from '../days.ts';
import { formatAge, formatDay, formatLocalDay, formatTime } from '../format.ts';

/** The interval at which relative times are updated, in milliseconds. */
const TICK_MS = 10_000;

const ticks = new Store(0);
setInterval(() => ticks.set(ticks.value + 1), TICK_MS);

const Age = ({ at }: { readonly at: string }) => {
  useStore(ticks);
  return formatAge(at);
};

/** A time in the local time zone; its UTC form shows on hover. */
export const Time = ({
  at,
  isAge = false,
  isDay = false,
}: {
  readonly at: string;
  /** As a distance from now. */
  readonly isAge?: boolean;
  /** Without the time of day. */
  readonly isDay?: boolean;
}) => {
  const format = isDay ? formatLocalDay : formatTime;
  return (
    <time dateTime={at} title={at}>
      {isAge ? <Age at={at} /> : format(at)}
    </time>
  );
};

/** The UTC day of a time, in a column whose head says so. */
export const UtcDay = ({ at }: { readonly at: string }) => (
  <time dateTime={at} title={at}>
    {formatDay(utcDayOf(at))}
  </time>
);
