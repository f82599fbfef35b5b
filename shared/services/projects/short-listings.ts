import { Project } from '#contract/projects.ts';
import { firstCharacters } from '#model/characters.ts';
import { Fragment } from '#model/fragment.ts';
import { fitsInResponse, RESPONSE_BYTES_MAX, shortenedToFit } from '#model/response-size.ts';

/** Of the listings of a list, in bytes of the response: the rest is for facets, highlights and rankings. */
const LIST_BYTES_MAX = 4_000_000;

/** Of the listings of a collection, which has little beside them. */
const COLLECTION_BYTES_MAX = RESPONSE_BYTES_MAX - 50_000;

/** The beginning of the full description that a short listing has, in characters. */
const BEGINNING = 500;

/**
 * What a listing loses until it is short enough, one after the other. What is left takes 25 KB at most: a URL of 2,048
 * characters, which is the only one, is a third of it.
 */
const losses: readonly ((project: Project) => Partial<Project>)[] = [
  ({ pending_revision: pending }) => (pending ? { pending_revision: { ...pending, changes: [] } } : {}),
  ({ long_description: text }) => ({ long_description: text === null ? null : firstCharacters(text, BEGINNING) }),
  () => ({ screenshots: [] }),
  ({ fields }) => (fields ? { fields: {} } : {}),
  () => ({ logo_url: null, video_url: null }),
  () => ({ long_description: null }),
];

/** A listing that takes at most so many bytes of a response, which are 25 KB or more. */
export const shortListing = (project: Project, bytesMax: number): Project => {
  let short = project;
  for (const loss of losses) {
    if (fitsInResponse(JSON.stringify(short), bytesMax)) break;
    short = { ...short, ...loss(short), truncated: true };
  }
  return short;
};

/** The listings of a page, of which large ones are short when they do not fit into a response together. */
export const fittingListings = (listings: readonly Fragment<Project>[]): Fragment<Project>[] =>
  shortenedToFit(
    listings,
    ({ text }) => text,
    LIST_BYTES_MAX,
    ({ text }, bytesMax) => Fragment.of(Project, shortListing(JSON.parse(text) as Project, bytesMax)),
  );

/** The listings of a collection, of which large ones are short when they do not fit into a response together. */
export const fittingProjects = (projects: readonly Project[]): Project[] =>
  shortenedToFit(projects, (project) => JSON.stringify(project), COLLECTION_BYTES_MAX, shortListing);
