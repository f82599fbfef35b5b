import { formatAge, formatDay, formatTime } from '../format.ts';

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
  const format = isDay ? formatDay : formatTime;
  return (
    <time dateTime={at} title={at}>
      {isAge ? formatAge(at) : format(at)}
    </time>
  );
};
