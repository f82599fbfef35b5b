import { findComment, insertComment, removeComment, replaceComment } from '#data/comments.ts';
import { readCounts } from '#data/counts.ts';
import { findProject } from '#data/projects.ts';
import { findRating, removeRating, replaceRating } from '#data/ratings.ts';
import { hasVoted, insertVote, removeVote } from '#data/votes.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';

/** What the verbs of votes work with. */
export const votePorts = { findProject, hasVoted, insertVote, removeVote, readCounts };

/** What the verbs of ratings work with. */
export const ratingPorts = { findProject, findRating, replaceRating, removeRating, readCounts };

/** What the verbs that write comments work with. */
export const commentPorts = { now, newId, findProject, findComment, insertComment, replaceComment, removeComment };
