import type { Project } from '#contract/projects.ts';
import { isOn } from './session.ts';

/**
 * Whether listings are searched by words, with typos and the best match first. A text with a slash is part of a URL, of which
 * words find the host only.
 */
export const searchesWords = (q: string): boolean => q !== '' && !q.includes('/') && isOn('search');

/** The parameters of the administrators' list for a search. */
export const searchParameters = (q: string) =>
  searchesWords(q) ? ({ q, match: 'fuzzy', highlight: true } as const) : { q };

type Search = {
  readonly highlights?:
    | Readonly<Record<string, readonly { readonly field: string; readonly ranges: [number, number][] }[]>>
    | undefined;
};

/** Where a search matched in a text of a listing. */
export const rangesIn = (search: Search | undefined, { id }: Pick<Project, 'id'>, field: 'name' | 'description') =>
  search?.highlights?.[id]?.find((one) => one.field === field)?.ranges;
