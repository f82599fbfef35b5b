import { Project } from '#contract/projects.ts';
import { firstCharacters } from '#model/characters.ts';
import { Fragment } from '#model/fragment.ts';
import { fitsInResponse, shortenedToFit } from '#model/response-size.ts';

/** Of the listings of a page, in bytes of the response: the rest is for facets, highlights and rankings. */
const PAGE_BYTES_MAX = 3_500_000;

/** The beginning of the full description that a short listing has, in characters. */
const BEGINNING = 500;

/**
 * What a listing leaves out until it is short enough, one after the other. The rest takes 26 KB at most, of which the URL, in
 * 2,048 characters, is a third.
 */
const omissions: readonly ((project: Project) => Partial<Project>)[] = [
  ({ pending_revision: pending }) => (pending ? { pending_revision: { ...pending, changes: [] } } : {}),
  ({ long_description: text }) => ({ long_description: text === null ? null : firstCharacters(text, BEGINNING) }),
  () => ({ screenshots: [] }),
  ({ fields }) => (fields ? { fields: {} } : {}),
  () => ({ logo_url: null, video_url: null }),
  () => ({ long_description: null }),
];

/** A listing that takes at most so many bytes of a response, of 26 KB or more. */
export const shortListing = (project: Project, bytesMax: number): Project => {
  let short = project;
  for (const omit of omissions) {
    if (fitsInResponse(JSON.stringify(short), bytesMax)) break;
    short = { ...short, ...omit(short), truncated: true };
  }
  return short;
};

/** How much larger a listing can become by the escapes of a fragment. */
const ESCAPES = 1.1;

/** The listings of a page, of which large ones are short when they do not fit into a response together. */
export const fittingFragments = (listings: readonly Fragment<Project>[]): Fragment<Project>[] =>
  shortenedToFit(
    listings,
    ({ text }, bytesMax) => Fragment.of(Project, shortListing(JSON.parse(text) as Project, bytesMax / ESCAPES)),
    PAGE_BYTES_MAX,
    ({ text }) => text,
  );
