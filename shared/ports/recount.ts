import { now } from '#platform/clock.ts';
import { log } from '#platform/log.ts';
import { bookmarks } from './bookmarks.ts';
import { catalog } from './catalog.ts';
import { leavingSlugs, missingCategories } from './categories.ts';
import { finishPorts } from './category-ports.ts';
import { readCounts } from './counts.ts';
import { countReactions, replaceCounts } from './recount.ts';
import { commentCounts, correctCommentCount, countCommentsBy } from './user-recount.ts';

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
