import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Parameters to set; undefined, an empty text and the default remove one. */
export type UrlPatch = Readonly<Record<string, string | number | undefined>>;

/** The address of a path and a query with some parameters changed. */
const addressWith = (path: string, search: string, patch: UrlPatch): string => {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, String(value));
  }
  return next.size > 0 ? `${path}?${next.toString()}` : path;
};

/**
 * Filters, sorting, page and the open record are in the address, so that Back, reload and shared links work.
 * @returns the parameters, and a function that changes some of them. `replace` makes no entry in the history.
 */
export const useUrl = (): readonly [
  URLSearchParams,
  (patch: UrlPatch, options?: { readonly replace?: boolean }) => void,
] => {
  const search = useSearch();
  const [path, navigate] = useLocation();
  const parameters = useMemo(() => new URLSearchParams(search), [search]);
  const change = useCallback(
    (patch: UrlPatch, options: { readonly replace?: boolean } = {}) => {
      // Changes in one event follow each other; the rendered search would be stale for the second.
      navigate(addressWith(path, location.search, patch), options);
    },
    [navigate, path],
  );
  return [parameters, change];
};

/** The address of the present page with other parameters, for links that open a record and keep the filters. */
export const useAddress = (): ((patch: UrlPatch) => string) => {
  const search = useSearch();
  const [path] = useLocation();
  return (patch) => addressWith(path, search, patch);
};
