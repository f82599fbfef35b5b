import { formatAge, formatTime } from '../format.ts';

/** A time in the local time zone; its UTC form shows on hover. */
export const Time = ({ at, isAge = false }: { readonly at: string; readonly isAge?: boolean }) => (
  <time dateTime={at} title={at}>
    {isAge ? formatAge(at) : formatTime(at)}
  </time>
);
