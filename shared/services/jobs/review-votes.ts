import { retryOnConflict } from '#data/conflict.ts';
import { JOINING_MAX, type JoiningVote, joinVoteCase, openCaseIdOf, openVoteCase } from '#data/vote-cases.ts';
import { originsOf, votedSince } from '#data/vote-origins.ts';
import { CONSPICUOUS_MIN, REVIEWED_MS, signalsOf, type VoteCaseRecord } from '#model/vote-case.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';

interface Review {
  readonly opened: number;
  readonly votes: number;
}

const newCase = (projectId: string): VoteCaseRecord => ({
  id: newId('vca'),
  project_id: projectId,
  state: 'open',
  opened_at: now(),
  decided_at: null,
  note: null,
  ...{ votes: 0, new_accounts: 0, same_network: 0 },
  version: 1,
});

/** The votes that have a signal that is not in the open case yet. */
const joiningVotes = async (projectId: string, caseId: string | undefined, since: string): Promise<JoiningVote[]> => {
  // Votes of a decided case are not looked at again.
  const origins = (await originsOf(projectId, since)).filter(({ case_id }) => case_id === null || case_id === caseId);
  const signals = signalsOf(origins);
  return origins.flatMap((origin) => {
    const found = signals.get(origin.user_id) ?? [];
    const all = [...new Set([...origin.signals, ...found])].sort();
    return all.length > origin.signals.length ? [{ origin, signals: all }] : [];
  });
};

/** One transaction of the review of a project. @returns undefined when nothing is left to do. */
const reviewStep = (projectId: string, since: string): Promise<Review | undefined> =>
  retryOnConflict(async () => {
    const caseId = await openCaseIdOf(projectId);
    const joining = (await joiningVotes(projectId, caseId, since)).slice(0, JOINING_MAX);
    if (joining.length === 0) return undefined;
    if (caseId === undefined) await openVoteCase(newCase(projectId), joining);
    else await joinVoteCase(projectId, caseId, joining);
    const votes = joining.filter(({ origin }) => origin.case_id === null).length;
    return { opened: caseId === undefined ? 1 : 0, votes };
  });

const reviewProject = async (projectId: string, since: string): Promise<Review> => {
  let [opened, votes] = [0, 0];
  for (let step = await reviewStep(projectId, since); step; step = await reviewStep(projectId, since)) {
    opened += step.opened;
    votes += step.votes;
  }
  return { opened, votes };
};

/**
 * Opens a case for each listing with conspicuous votes, and adds later ones to its open case. The index says which listings have
 * votes; their votes are read consistently. Safe to repeat and to run concurrently. A listing that fails does not stop the others.
 * @throws AggregateError when some failed; the next run retries them.
 */
export const reviewVotes = async (budgetMs: number) => {
  const until = performance.now() + budgetMs;
  const since = new Date(Date.parse(now()) - REVIEWED_MS).toISOString();
  const voted = Map.groupBy(await votedSince(since), (id) => id);
  const due = [...voted].filter(([, votes]) => votes.length >= CONSPICUOUS_MIN).map(([id]) => id);
  const failures: unknown[] = [];
  const total = { processed: 0, opened: 0, votes: 0 };
  const review = async (id: string): Promise<void> => {
    try {
      const { opened, votes } = await reviewProject(id, since);
      total.processed += 1;
      total.opened += opened;
      total.votes += votes;
    } catch (error) {
      failures.push(error);
    }
  };
  const { isComplete } = await mapConcurrently(due, review, { until });
  if (failures.length > 0) throw new AggregateError(failures, 'Not all listings could be reviewed.');
  return { ...total, unfinished: !isComplete };
};
