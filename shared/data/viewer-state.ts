import type { ViewerState } from '#contract/projects.ts';
import { ratingKey, voteKey } from './keys.ts';
import { slugHolders } from './projects.ts';
import { findItems } from './read.ts';

/** Prefix of project ids; slugs have no underscore. */
const ID_PREFIX = 'prj_';

const none: ViewerState = { upvoted: false, rating: null };

/** A user's vote and rating by project reference: id, slug or earlier slug. */
export const viewerState = async (
  userId: string,
  references: readonly string[],
): Promise<Readonly<Record<string, ViewerState>>> => {
  const holders = await slugHolders(references.filter((one) => !one.startsWith(ID_PREFIX)));
  const ids = references.map((one) => holders.get(one) ?? (one.startsWith(ID_PREFIX) ? one : undefined));
  const known = ids.filter((id) => id !== undefined);
  const items = await findItems(known.flatMap((id) => [voteKey(id, userId), ratingKey(id, userId)]));
  const states = new Map(
    known.map((id, position): [string, ViewerState] => {
      const rating = items[2 * position + 1]?.rating;
      return [id, { upvoted: items[2 * position] !== undefined, rating: rating === undefined ? null : Number(rating) }];
    }),
  );
  return Object.fromEntries(references.map((one, position) => [one, states.get(ids[position] ?? '') ?? none] as const));
};

/** A user's vote and rating of a project. */
export const viewerStateOf = async (projectId: string, userId: string): Promise<ViewerState> => {
  const [vote, rating] = await findItems([voteKey(projectId, userId), ratingKey(projectId, userId)]);
  return { upvoted: vote !== undefined, rating: rating ? Number(rating.rating) : null };
};
