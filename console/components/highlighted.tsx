import type { ReactNode } from 'react';

/** The ranges of a text, as the service returns them: UTF-16 offsets, ascending. */
type Ranges = readonly (readonly [start: number, end: number])[];

/** A text with marks where a search matched. */
export const Highlighted = ({ text, ranges = [] }: { readonly text: string; readonly ranges?: Ranges | undefined }) => {
  const parts: ReactNode[] = [];
  let at = 0;
  for (const [start, end] of ranges) {
    parts.push(text.slice(at, start), <mark key={start}>{text.slice(start, end)}</mark>);
    at = end;
  }
  return (
    <>
      {parts}
      {text.slice(at)}
    </>
  );
};
