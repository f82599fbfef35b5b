import { useCallback, useMemo } from 'react';
import { useLocation, useSearch } from 'wouter';

/** Parameters to set; undefined, an empty text and the default remove one. */
type UrlPatch = Readonly<Record<string, string | number | undefined>>;

/** The URL of a path and a query with some parameters changed. */
const hrefWith = (path: string, search: string, patch: UrlPatch): string => {
  const next = new URLSearchParams(search);
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined || value === '') next.delete(name);
    else next.set(name, String(value));
  }
  return next.size > 0 ? `${path}?${next.toString()}` : path;
};

/**
 * Filters, sorting, page and the open record are in the URL, so that Back, reload and shared links work.
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
      navigate(hrefWith(path, location.search, patch), options);
    },
    [navigate, path],
  );
  return [parameters, change];
};

/** The URL of the current page with other parameters, for links that open a record and keep the filters. */
export const useHref = (): ((patch: UrlPatch) => string) => {
  const search = useSearch();
  const [path] = useLocation();
  return (patch) => hrefWith(path, search, patch);
};
