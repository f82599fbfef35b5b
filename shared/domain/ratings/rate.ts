import type { Rated } from '#contract/ratings.ts';
import { isOpen } from '#domain/projects/policy.ts';
import { averageRating, type ProjectCounts, type ProjectRecord } from '#domain/projects/project.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { notFound } from '#shared/errors.ts';

/** What rating takes. Writing fails with an error named `ConditionFailed` when the rating is not as it was read. */
export interface RatingPorts {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  readonly findRating: (projectId: string, userId: string) => Promise<number | undefined>;
  readonly replaceRating: (
    projectId: string,
    userId: string,
    previous: number | undefined,
    rating: number,
  ) => Promise<void>;
  readonly removeRating: (projectId: string, userId: string, previous: number) => Promise<void>;
  readonly readCounts: (projectId: string) => Promise<ProjectCounts>;
}

// One user's own requests at the same time are all that can get in each other's way here.
const TRIES = 50;

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionFailed';

const settle = async (
  ports: RatingPorts,
  user: UserRecord,
  reference: string,
  rating: number | null,
): Promise<Rated> => {
  const stored = await ports.findProject(reference);
  if (!stored || !isOpen(stored.project)) throw notFound();
  const projectId = stored.project.id;
  for (let attempt = 1; ; attempt += 1) {
    const previous = await ports.findRating(projectId, user.id);
    try {
      if (rating !== null && rating !== previous) await ports.replaceRating(projectId, user.id, previous, rating);
      if (rating === null && previous !== undefined) await ports.removeRating(projectId, user.id, previous);
    } catch (error) {
      if (isOvertaken(error) && attempt < TRIES) continue;
      throw error;
    }
    const counts = await ports.readCounts(projectId);
    return { rating, average_rating: averageRating(counts), ratings_count: counts.ratings_count };
  }
};

/** Rates a project, in place of an earlier rating. @throws 404 unless the project is open. */
export const rateProject = (ports: RatingPorts, user: UserRecord, reference: string, rating: number): Promise<Rated> =>
  settle(ports, user, reference, rating);

/** Takes the rating away, if there is one. @throws 404 unless the project is open. */
export const unrateProject = (ports: RatingPorts, user: UserRecord, reference: string): Promise<Rated> =>
  settle(ports, user, reference, null);
