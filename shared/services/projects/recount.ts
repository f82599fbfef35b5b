import { ConflictError, retryOnConflict } from '#data/conflict.ts';
import { readCounts } from '#data/counts.ts';
import { countReactions, replaceCounts } from '#data/recount.ts';
import { recounted } from '#model/project.ts';
import { AppError } from '#shared/errors.ts';

/** A counter whose stored value was wrong. */
export interface Drift {
  readonly project_id: string;
  readonly counter: string;
  readonly was: number;
  readonly is: number;
}

/** A project with more concurrent reactions is left to the next run: each attempt reads all its ratings. */
const ATTEMPTS_MAX = 5;

const recount = async (projectId: string, knownVersion: number): Promise<readonly Drift[]> => {
  const counts = await readCounts(projectId);
  const actual = await countReactions(projectId);
  const drift = recounted
    .filter((counter) => counts[counter] !== actual[counter])
    .map((counter) => ({ project_id: projectId, counter, was: counts[counter], is: actual[counter] }));
  if (drift.length === 0) return [];
  await replaceCounts(projectId, counts, { ...actual, version: Math.max(counts.version, knownVersion) + 1 });
  return drift;
};

/**
 * Recounts the reactions to a project and corrects its counters. Every reaction increments the version of the
 * counters in its transaction, so an unchanged version proves that no reaction came in between.
 * @param knownVersion the highest version of the counters in any replica; the corrected counters get a higher one.
 * @returns the corrected counters; undefined when concurrent reactions prevented the correction.
 */
export const recountProject = async (
  projectId: string,
  knownVersion: number,
): Promise<readonly Drift[] | undefined> => {
  try {
    return await retryOnConflict(() => recount(projectId, knownVersion), { attemptsMax: ATTEMPTS_MAX });
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    // The project was purged concurrently.
    if (error instanceof AppError && error.code === 'NOT_FOUND') return [];
    throw error;
  }
};
