import { useEffect, useRef, useState } from 'react';
import * as strings from '../strings.ts';
import { TextField } from './fields.tsx';
import { useLatest } from './use-latest.ts';

/** How long typing has to pause before the search starts, in milliseconds. */
const PAUSE_MS = 250;

/** A search that follows typing. `/` focuses it. @param value the text that is searched for at present. */
export const SearchField = ({
  value,
  onSearch,
}: {
  readonly value: string;
  readonly onSearch: (text: string) => void;
}) => {
  const [typed, setTyped] = useState(value);
  const searched = useRef(value);
  const search = useLatest(onSearch);
  // Back, or a cleared filter.
  useEffect(() => {
    if (value === searched.current) return;
    searched.current = value;
    setTyped(value);
  }, [value]);
  useEffect(() => {
    const text = typed.trim();
    if (text === searched.current) return undefined;
    const timer = setTimeout(() => {
      searched.current = text;
      search.current(text);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed, search]);
  return (
    <div className="search">
      <TextField name="q" label={strings.fields.q} type="search" value={typed} onChange={setTyped} />
    </div>
  );
};
