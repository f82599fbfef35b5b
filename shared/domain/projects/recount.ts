import { AppError } from '#shared/errors.ts';
import type { ProjectCounts } from './project.ts';

/** The counters that stand for items of their own. Views are counted nowhere else. */
const recounted = ['upvote_count', 'ratings_sum', 'ratings_count', 'comments_count'] as const;
export type Recounted = Pick<ProjectCounts, (typeof recounted)[number]>;

/** What counting a project anew takes. */
export interface RecountPorts {
  readonly readCounts: (projectId: string) => Promise<ProjectCounts>;
  /** Counts the votes, ratings and comments that there are. */
  readonly countReactions: (projectId: string) => Promise<Recounted>;
  /**
   * Replaces the counters of a project that is there.
   * @throws 404 when it is gone; an error named `ConditionFailed` when the counters are not of `previous` version any more.
   */
  readonly replaceCounts: (
    projectId: string,
    previous: ProjectCounts,
    next: Recounted & Pick<ProjectCounts, 'version'>,
  ) => Promise<void>;
}

/** One counter that was not what it should be. */
export interface Drift {
  readonly project_id: string;
  readonly counter: string;
  readonly was: number;
  readonly is: number;
}

/** Every reaction in between is a lost try; a project that many react to right now is left to the next run. */
const TRIES = 5;

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionFailed';
const isGone = (error: unknown): boolean => error instanceof AppError && error.code === 'NOT_FOUND';

/**
 * Counts the reactions to a project anew and mends its counters. Every reaction raises the version of the counters in its
 * transaction, so counters that still have the version from before the counting were counted right, and no reaction
 * in between is lost.
 * @param knownVersion the highest version of the counters that anybody may have seen.
 * @returns what was wrong and is right now; undefined when it could not be mended this time.
 */
export const recountProject = async (
  ports: RecountPorts,
  projectId: string,
  knownVersion: number,
): Promise<readonly Drift[] | undefined> => {
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const counts = await ports.readCounts(projectId);
    const real = await ports.countReactions(projectId);
    const drift = recounted.flatMap((counter): Drift[] =>
      counts[counter] === real[counter]
        ? []
        : [{ project_id: projectId, counter, was: counts[counter], is: real[counter] }],
    );
    if (drift.length === 0) return [];
    try {
      const version = Math.max(counts.version, knownVersion) + 1;
      await ports.replaceCounts(projectId, counts, { ...real, version });
      return drift;
    } catch (error) {
      if (isGone(error)) return [];
      if (!isOvertaken(error)) throw error;
    }
  }
  return undefined;
};
