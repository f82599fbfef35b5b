import { message, type Workshop } from '#domain/messages.ts';
import { farewell, type PurgePorts } from '#domain/projects/moderate.ts';
import { retried } from '#domain/retried.ts';
import type { Message, MessageData } from '#events/catalogue.ts';
import { AppError, conflict, unauthorized } from '#shared/errors.ts';
import { changeUser, type FindUser } from './change.ts';
import type { UserRecord } from './user.ts';

/** What stays with a user's id when his record is gone, and has to go too. */
export interface RemainsPorts {
  /** Ids of projects that he voted for, a page at a time; walked while votes are removed. */
  readonly votesOf: (userId: string) => AsyncIterable<readonly string[]>;
  readonly ratingsOf: (userId: string) => AsyncIterable<readonly string[]>;
  readonly checkoutsOf: (userId: string) => AsyncIterable<readonly string[]>;
  readonly projectsOf: (userId: string) => AsyncIterable<readonly string[]>;
  /** Takes a vote away with its count, whatever the state of the project. @returns whether there was one. */
  readonly withdrawVote: (projectId: string, userId: string) => Promise<boolean>;
  readonly withdrawRating: (projectId: string, userId: string) => Promise<boolean>;
  /** Removes what a premium submission said that has not become a project. @returns whether there was something. */
  readonly removeDraft: (checkoutId: string) => Promise<boolean>;
  /** Removes a project for good. @returns whether it was there and his. */
  readonly purgeOwn: (projectId: string, userId: string) => Promise<boolean>;
}

/** What forgetting somebody takes. */
export interface ErasePorts extends Workshop, FindUser {
  /** @throws an error named `UserChanged` when he is not as `previous` any more. */
  readonly eraseUser: (previous: UserRecord, erasedAt: string, messages: readonly Message[]) => Promise<void>;
  /** Removes at once what can be removed at once; what it does not get to the task finishes. Does not throw. */
  readonly beginRemoval: (task: MessageData<'userErased'>) => Promise<void>;
}

type Projects = MessageData<'userErased'>['projects'];

/**
 * Erases a user's record at once; what else there is of him goes as far as time allows, the rest by the task that is
 * written with the erasure.
 * @returns when, ISO 8601. @throws 409 for an administrator, so that there is always one left; 401 when it was done already.
 */
export const eraseSelf = async (ports: ErasePorts, user: UserRecord, projects: Projects): Promise<string> => {
  const task = { user_id: user.id, projects };
  try {
    const erasedAt = await changeUser(ports, user.id, async (current) => {
      if (current.is_admin) throw conflict('SELF_CHANGE', 'Another administrator has to revoke you first.');
      const at = ports.now();
      await ports.eraseUser(current, at, [message(ports, 'userErased', user.id, task)]);
      return at;
    });
    await ports.beginRemoval(task);
    return erasedAt;
  } catch (error) {
    throw error instanceof AppError && error.code === 'NOT_FOUND' ? unauthorized() : error;
  }
};

// As many at once as a connection pool serves without queueing.
const AT_ONCE = 8;

/** How far a round of removing got. */
export interface Round {
  readonly removed: number;
  /** Whether its time was up before it had seen everything. */
  readonly isCut: boolean;
}

const removeAll = async (
  pages: AsyncIterable<readonly string[]>,
  until: number,
  remove: (id: string) => Promise<boolean>,
): Promise<Round> => {
  let removed = 0;
  for await (const ids of pages) {
    for (let start = 0; start < ids.length; start += AT_ONCE) {
      if (performance.now() > until) return { removed, isCut: true };
      const done = await Promise.all(ids.slice(start, start + AT_ONCE).map(remove));
      removed += done.filter(Boolean).length;
    }
  }
  return { removed, isCut: false };
};

/**
 * Takes away what is left of an erased user: votes and ratings, each with its count, submissions that nobody has paid, and
 * his projects where he wanted that.
 * It may run any number of times, also at the same time as itself: each thing is removed on condition that it is there.
 * @param budgetMs when to stop and leave the rest to the task.
 */
export const removeRemains = async (
  ports: RemainsPorts,
  { user_id: userId, projects }: MessageData<'userErased'>,
  budgetMs: number,
): Promise<Round> => {
  const until = performance.now() + budgetMs;
  const rounds = [
    await removeAll(ports.votesOf(userId), until, (id) => ports.withdrawVote(id, userId)),
    await removeAll(ports.ratingsOf(userId), until, (id) => ports.withdrawRating(id, userId)),
    await removeAll(ports.checkoutsOf(userId), until, ports.removeDraft),
  ];
  if (projects === 'delete') {
    rounds.push(await removeAll(ports.projectsOf(userId), until, (id) => ports.purgeOwn(id, userId)));
  }
  return {
    removed: rounds.reduce((sum, { removed }) => sum + removed, 0),
    isCut: rounds.some(({ isCut }) => isCut),
  };
};

/**
 * Finishes an erasure, however far it got: rounds until one finds nothing, for an index may show a thing a moment late.
 * @throws when the time is up before that, so that it is tried again.
 */
export const finishErasure = async (
  ports: RemainsPorts,
  task: MessageData<'userErased'>,
  budgetMs: number,
): Promise<void> => {
  const until = performance.now() + budgetMs;
  for (;;) {
    const { removed, isCut } = await removeRemains(ports, task, until - performance.now());
    if (isCut) throw new Error('The erasure is not finished yet.');
    if (removed === 0) return;
  }
};

/**
 * Removes a project of an erased user for good, soft-deleted ones too.
 * @returns whether it was there and his.
 */
export const purgeOwnProject = (ports: PurgePorts, projectId: string, userId: string): Promise<boolean> =>
  retried('ProjectChanged', async () => {
    const stored = await ports.findProject(projectId);
    if (stored?.project.owner_id !== userId) return false;
    await ports.removeProject(stored.project, farewell(ports, userId, stored.project));
    return true;
  });
