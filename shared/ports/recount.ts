import { bookmarks } from '#data/bookmarks.ts';
import { catalog } from '#data/catalog.ts';
import { leavingSlugs, missingCategories } from '#data/categories.ts';
import { readCounts } from '#data/counts.ts';
import { countReactions, replaceCounts } from '#data/recount.ts';
import { commentCounts, correctCommentCount, countCommentsBy } from '#data/user-recount.ts';
import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { finishPorts } from './categories.ts';

/** What reconciling by the clock works with. */
export const recountPorts = {
  ...finishPorts,
  ...bookmarks,
  now,
  catalog,
  missingCategories,
  leavingSlugs,
  readCounts,
  countReactions,
  replaceCounts,
  commentCounts,
  countCommentsBy,
  correctCommentCount,
  report: (problem: string, facts: Readonly<Record<string, unknown>>): void => log.warn(problem, facts),
};
