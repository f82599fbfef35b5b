import type { ViewerMarks } from '#contract/projects.ts';
import { ratingKey, voteKey } from './keys.ts';
import { slugHolders } from './projects.ts';
import { findItems } from './read.ts';

/** What ids of projects begin with; no slug has an underscore. */
const ID_PREFIX = 'prj_';

const none: ViewerMarks = { upvoted: false, rating: null };

/** What a user has done to some projects, under their references as they are given: ids, slugs or earlier slugs. */
export const userMarks = async (
  userId: string,
  references: readonly string[],
): Promise<Readonly<Record<string, ViewerMarks>>> => {
  const holders = await slugHolders(references.filter((one) => !one.startsWith(ID_PREFIX)));
  const ids = references.map((one) => holders.get(one) ?? (one.startsWith(ID_PREFIX) ? one : undefined));
  const known = ids.filter((id) => id !== undefined);
  const items = await findItems(known.flatMap((id) => [voteKey(id, userId), ratingKey(id, userId)]));
  const marks = new Map(
    known.map((id, position): [string, ViewerMarks] => {
      const rating = items[2 * position + 1]?.rating;
      return [id, { upvoted: items[2 * position] !== undefined, rating: rating === undefined ? null : Number(rating) }];
    }),
  );
  return Object.fromEntries(references.map((one, position) => [one, marks.get(ids[position] ?? '') ?? none] as const));
};
