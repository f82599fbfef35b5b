import { type RefObject, useLayoutEffect, useRef } from 'react';

/** The value of the latest rendering, for listeners that are not created again with each of them. */
export const useLatest = <T>(value: T): RefObject<T> => {
  const latest = useRef(value);
  useLayoutEffect(() => {
    latest.current = value;
  });
  return latest;
};
