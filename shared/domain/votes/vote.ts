import type { Upvote } from '#contract/votes.ts';
import { isOpen } from '#domain/projects/policy.ts';
import type { ProjectCounts, ProjectRecord } from '#domain/projects/project.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { notFound } from '#shared/errors.ts';

/** What voting takes. Writing fails with an error named `ConditionFailed` when the vote is not as it was read. */
export interface VotePorts {
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  readonly hasVoted: (projectId: string, userId: string) => Promise<boolean>;
  readonly insertVote: (projectId: string, userId: string) => Promise<void>;
  readonly removeVote: (projectId: string, userId: string) => Promise<void>;
  readonly readCounts: (projectId: string) => Promise<ProjectCounts>;
}

// One user's own requests at the same time are all that can get in each other's way here.
const TRIES = 50;

const isOvertaken = (error: unknown): boolean => error instanceof Error && error.name === 'ConditionFailed';

const vote = async (
  ports: VotePorts,
  user: UserRecord,
  reference: string,
  wanted: (stands: boolean) => boolean,
): Promise<Upvote> => {
  const stored = await ports.findProject(reference);
  if (!stored || !isOpen(stored.project)) throw notFound();
  const projectId = stored.project.id;
  for (let attempt = 1; ; attempt += 1) {
    const stands = await ports.hasVoted(projectId, user.id);
    const upvoted = wanted(stands);
    try {
      if (upvoted && !stands) await ports.insertVote(projectId, user.id);
      if (!upvoted && stands) await ports.removeVote(projectId, user.id);
    } catch (error) {
      if (isOvertaken(error) && attempt < TRIES) continue;
      throw error;
    }
    const { upvote_count } = await ports.readCounts(projectId);
    return { upvoted, upvote_count };
  }
};

/** Turns the upvote: it stands if it did not, and the other way round. @throws 404 unless the project is open. */
export const toggleVote = (ports: VotePorts, user: UserRecord, reference: string): Promise<Upvote> =>
  vote(ports, user, reference, (stands) => !stands);

/** Makes the upvote stand. @throws 404 unless the project is open. */
export const castVote = (ports: VotePorts, user: UserRecord, reference: string): Promise<Upvote> =>
  vote(ports, user, reference, () => true);

/** Takes the upvote back. @throws 404 unless the project is open. */
export const withdrawVote = (ports: VotePorts, user: UserRecord, reference: string): Promise<Upvote> =>
  vote(ports, user, reference, () => false);
