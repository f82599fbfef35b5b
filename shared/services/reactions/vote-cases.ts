import { CASE_ACCOUNTS_MAX, type VoteCase, type VoteCaseState } from '#contract/vote-cases.ts';
import { retryOnConflict } from '#data/conflict.ts';
import { inOutbox } from '#data/event-log.ts';
import { type Paging, pageMeta, skipOf } from '#data/paging.ts';
import { existingProjects, findProject } from '#data/projects.ts';
import { findUsers } from '#data/users.ts';
import {
  allVoteCases,
  applyDecision,
  caseDecision,
  findVoteCase,
  firstVotesOf,
  pageOfVoteCases,
} from '#data/vote-cases.ts';
import { transact } from '#data/write.ts';
import { type MessageData, newMessage } from '#events/catalogue.ts';
import type { Caller } from '#model/api-key.ts';
import { isParty, mayBeParty, mustNotBeParty } from '#model/policy.ts';
import type { ProjectRecord } from '#model/project.ts';
import { explanationOf, type VoteCaseRecord } from '#model/vote-case.ts';
import { outsideAudit } from '#platform/audit-context.ts';
import { now } from '#platform/clock.ts';
import { mustExist } from '#shared/errors.ts';

interface CaseOfProject {
  readonly record: VoteCaseRecord;
  readonly project: ProjectRecord;
}

const viewOf = async ({ record, project }: CaseOfProject): Promise<VoteCase> => {
  const votes = await firstVotesOf(record, CASE_ACCOUNTS_MAX);
  const users = await findUsers(votes.map(({ user_id }) => user_id));
  const { id, slug, name } = project;
  return {
    id: record.id,
    project: { id, slug, name },
    state: record.state,
    opened_at: record.opened_at,
    decided_at: record.decided_at,
    note: record.note,
    votes: record.votes,
    signals: (['new_accounts', 'same_network'] as const)
      .filter((signal) => record[signal] > 0)
      .map((signal) => ({ name: signal, count: record[signal], explanation: explanationOf(signal, record[signal]) })),
    accounts: votes.map(({ user_id, joined_at, voted_at, signals }) => ({
      id: user_id,
      name: users.get(user_id)?.name ?? null,
      joined_at,
      voted_at,
      signals: [...signals],
    })),
  };
};

const withProjects = async (records: readonly VoteCaseRecord[]): Promise<CaseOfProject[]> => {
  const projects = await existingProjects([...new Set(records.map(({ project_id }) => project_id))]);
  const byId = new Map(projects.map((project) => [project.id, project]));
  // The project of a case may be purged before the case is.
  return records.flatMap((record) => {
    const project = byId.get(record.project_id);
    return project ? [{ record, project }] : [];
  });
};

type CaseQuery = Paging & { readonly state?: VoteCaseState | undefined };

/** Cases without those about the caller's own listings. All are read, because they are not counted by owner. */
const pageWithoutOwn = async (staff: Caller, query: CaseQuery) => {
  const all = await allVoteCases(query.state);
  const projects = await existingProjects([...new Set(all.map(({ projectId }) => projectId))]);
  const shown = new Set(projects.filter((project) => !isParty(project, staff)).map(({ id }) => id));
  const others = all.filter(({ projectId }) => shown.has(projectId));
  const found = await Promise.all(
    others.slice(skipOf(query), skipOf(query) + query.limit).map(({ record }) => record()),
  );
  return { cases: found.filter((record) => record !== undefined), total: others.length };
};

/** A page of cases, newest first. */
export const listVoteCases = async (staff: Caller, query: CaseQuery) => {
  const { cases, total } = mayBeParty(staff)
    ? await pageWithoutOwn(staff, query)
    : await pageOfVoteCases(query.state, skipOf(query), query.limit);
  const data = await Promise.all((await withProjects(cases)).map(viewOf));
  return { data, meta: pageMeta(query, total, cases.length) };
};

/** A case that the caller may see and decide. @throws 404; 403 for a moderator or an API key who owns the listing. */
export const getVoteCase = async (staff: Caller, caseId: string): Promise<CaseOfProject> => {
  const record = mustExist(await findVoteCase(caseId));
  const { project } = mustExist(await findProject(record.project_id));
  mustNotBeParty(project, staff);
  return { record, project };
};

export const readVoteCase = async (staff: Caller, caseId: string): Promise<VoteCase> =>
  await viewOf(await getVoteCase(staff, caseId));

/** The votes of a case that a request processes; the task does the rest. */
const VOTES_IN_REQUEST = 200;
/** How long a run of the task works, in milliseconds; it may take 300 seconds. */
const TASK_BUDGET_MS = 280_000;

/** @throws 404, 403. */
const decide = (
  staff: Caller,
  caseId: string,
  state: 'held' | 'released',
  note: string | null,
): Promise<{ record: VoteCaseRecord; project: ProjectRecord; mustApply: boolean }> =>
  retryOnConflict(async () => {
    const { record: previous, project } = await getVoteCase(staff, caseId);
    if (previous.state === state) return { record: previous, project, mustApply: false };
    const record = { ...previous, state, note, decided_at: now(), version: previous.version + 1 };
    // The votes of an open case count.
    const mustApply = previous.state !== 'open' || state === 'held';
    const event = { project_id: project.id, case_id: record.id, votes: record.votes };
    const task = { project_id: project.id, case_id: record.id };
    await transact([
      ...caseDecision(previous, record),
      ...(mustApply
        ? [
            inOutbox(newMessage(state === 'held' ? 'votesHeld' : 'votesReleased', staff.id, event)),
            inOutbox(newMessage('voteCaseDecided', staff.id, task)),
          ]
        : []),
    ]);
    return { record, project, mustApply };
  });

/**
 * Holds or releases the votes of a case. The decision and its task are committed first, so that a process that ends in between
 * leaves nothing undone.
 * @returns whether all votes follow the decision already.
 * @throws 404; 403 for a moderator or an API key who owns the listing.
 */
export const decideVoteCase = async (
  staff: Caller,
  caseId: string,
  state: 'held' | 'released',
  note: string | null,
): Promise<{ data: VoteCase; isComplete: boolean }> => {
  const { record, project, mustApply } = await decide(staff, caseId, state, note);
  const isComplete =
    !mustApply || (await outsideAudit(() => applyDecision(project.id, record.id, (done) => done < VOTES_IN_REQUEST)));
  return { data: await viewOf({ record, project }), isComplete };
};

/** The time of a run is up; the task is delivered again. */
class TimeUp extends Error {
  override readonly name = 'TimeUp';
}

/** Makes the remaining votes of a case follow its decision. @throws {TimeUp} */
export const finishDecision = async ({ project_id, case_id }: MessageData<'voteCaseDecided'>): Promise<void> => {
  const until = performance.now() + TASK_BUDGET_MS;
  if (!(await applyDecision(project_id, case_id, () => performance.now() < until))) throw new TimeUp();
};
