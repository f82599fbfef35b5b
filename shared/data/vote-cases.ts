import type { VoteCaseState } from '#contract/vote-cases.ts';
import type { CaseVote, VoteCaseRecord } from '#model/vote-case.ts';
import { retryOnConflict } from './conflict.ts';
import { changeCounts } from './counts.ts';
import {
  caseVoteKey,
  caseVotePrefix,
  inVoteCases,
  type Key,
  openVoteCaseKey,
  projectKey,
  projectPartition,
  voteCaseKey,
  voteCaseStatePartition,
  voteCasesPartition,
  voteKey,
  voteOriginKey,
} from './keys.ts';
import {
  collectionPages,
  countCollection,
  countRange,
  findItem,
  findItems,
  firstOfCollection,
  type Item,
  keyOf,
  pageOfCollection,
  recordOf,
  wholeCollection,
} from './read.ts';
import { signalsIn, type VoteOrigin } from './vote-origins.ts';
import { absent, every, exists, is, lacks, transact, type Write } from './write.ts';

// A case and its votes are in the partition of the project. A vote knows its case, and whether it is held: what counts is decided by
// the item of the vote alone, so that setting, clearing and holding it exclude each other.

const caseItem = (record: VoteCaseRecord): Item & Key => ({
  ...voteCaseKey(record.project_id, record.id),
  ...inVoteCases(record.state, record.id),
  type: 'voteCase',
  ...record,
});

const caseVoteOf = (item: Item): CaseVote => ({
  user_id: String(item.user_id),
  voted_at: String(item.voted_at),
  joined_at: String(item.joined_at),
  signals: signalsIn(item.signals),
});

/** A case by id. The index names its key; the case itself is read consistently. */
export const findVoteCase = async (id: string): Promise<VoteCaseRecord | undefined> => {
  const range = { partition: voteCasesPartition, index: 'feed', prefix: id, only: ['pk', 'sk', 'feed_sk'] } as const;
  const [key] = await firstOfCollection(range, 1);
  const item = key && key.feed_sk === id ? await findItem(keyOf(key)) : undefined;
  return item && recordOf<VoteCaseRecord>(item);
};

const casesIn = (state: VoteCaseState | undefined) =>
  state === undefined
    ? ({ partition: voteCasesPartition, index: 'feed' } as const)
    : ({ partition: voteCaseStatePartition(state), index: 'collection' } as const);

const recordsOf = async (keys: readonly Item[]): Promise<VoteCaseRecord[]> =>
  (await findItems(keys.map(keyOf))).flatMap((item) => (item ? [recordOf<VoteCaseRecord>(item)] : []));

const newest = (state: VoteCaseState | undefined) =>
  ({ ...casesIn(state), newestFirst: true, only: ['pk', 'sk', 'feed_sk', 'collection_sk', 'project_id'] }) as const;

/** A page of cases, newest first, with the exact total. */
export const pageOfVoteCases = async (
  state: VoteCaseState | undefined,
  skip: number,
  count: number,
): Promise<{ cases: VoteCaseRecord[]; total: number }> => {
  const total = await countRange(casesIn(state));
  return { cases: await recordsOf(await pageOfCollection(newest(state), skip, count, total)), total };
};

/** All cases, newest first, each with the id of its project. */
export const allVoteCases = async (state: VoteCaseState | undefined) =>
  (await wholeCollection(newest(state))).map((item) => ({
    projectId: String(item.project_id),
    record: async () => (await recordsOf([item]))[0],
  }));

export const countOpenVoteCases = (): Promise<number> =>
  countCollection(voteCaseStatePartition('open'), undefined, 'collection');

/** The first votes of a case. */
export const firstVotesOf = async ({ project_id, id }: VoteCaseRecord, max: number): Promise<CaseVote[]> => {
  const range = { partition: projectPartition(project_id), prefix: caseVotePrefix(id) };
  return (await firstOfCollection(range, max)).map(caseVoteOf);
};

/** The open case of a project; consistent. */
export const openCaseIdOf = async (projectId: string): Promise<string | undefined> =>
  (await findItem(openVoteCaseKey(projectId)))?.case_id as string | undefined;

/** A vote that joins a case, or whose signals in it have changed. */
export interface JoiningVote {
  readonly origin: VoteOrigin;
  readonly signals: CaseVote['signals'];
}

/** Votes per transaction: three writes each, and those of the case. */
export const JOINING_MAX = 30;

const writesOfJoining = (caseId: string, { origin, signals }: JoiningVote): Write[] => {
  const { project_id: projectId, user_id, voted_at, joined_at } = origin;
  const key = caseVoteKey(projectId, caseId, voted_at, user_id);
  const names = signals.join();
  const isMember = origin.case_id === caseId;
  return [
    {
      update: voteOriginKey(projectId, user_id),
      change: { set: { case_id: caseId, signals: names } },
      when: every(is('voted_at', voted_at), isMember ? is('signals', origin.signals.join()) : lacks('case_id')),
    },
    isMember
      ? { update: key, change: { set: { signals: names } }, when: exists }
      : { put: { ...key, type: 'caseVote', case_id: caseId, user_id, voted_at, joined_at, signals: names } },
    {
      update: voteKey(projectId, user_id),
      change: { set: { case_id: caseId, case_voted_at: voted_at, signals: names } },
      when: isMember ? is('case_id', caseId) : every(exists, lacks('case_id')),
    },
  ];
};

const addedBy = (caseId: string, joining: readonly JoiningVote[]) => {
  const added = (signal: 'new_accounts' | 'same_network'): number =>
    joining.filter(({ origin, signals }) => signals.includes(signal) && !origin.signals.includes(signal)).length;
  return {
    votes: joining.filter(({ origin }) => origin.case_id !== caseId).length,
    new_accounts: added('new_accounts'),
    same_network: added('same_network'),
  };
};

/**
 * Opens a case with its first votes.
 * @throws ConditionFailed when the project is gone or has an open case, or a vote has changed.
 */
export const openVoteCase = async (record: VoteCaseRecord, joining: readonly JoiningVote[]): Promise<void> => {
  await transact([
    { check: projectKey(record.project_id), when: exists },
    { put: { ...openVoteCaseKey(record.project_id), type: 'openVoteCase', case_id: record.id }, when: absent },
    { put: caseItem({ ...record, ...addedBy(record.id, joining) }), when: absent },
    ...joining.flatMap((one) => writesOfJoining(record.id, one)),
  ]);
};

/** Adds votes to an open case. @throws ConditionFailed when it was decided, or a vote has changed. */
export const joinVoteCase = async (
  projectId: string,
  caseId: string,
  joining: readonly JoiningVote[],
): Promise<void> => {
  await transact([
    {
      update: voteCaseKey(projectId, caseId),
      change: { add: { ...addedBy(caseId, joining), version: 1 } },
      when: is('state', 'open'),
    },
    ...joining.flatMap((one) => writesOfJoining(caseId, one)),
  ]);
};

/** The writes of a decision. They fail with `ConditionFailed` when the case has changed since it was read. */
export const caseDecision = (previous: VoteCaseRecord, next: VoteCaseRecord): Write[] => [
  { put: caseItem(next), when: is('version', previous.version) },
  ...(previous.state === 'open'
    ? [{ delete: openVoteCaseKey(previous.project_id), when: is('case_id', previous.id) }]
    : []),
];

/** The votes go with the project. */
class ProjectPurged extends Error {
  override readonly name = 'ProjectPurged';
}

/** Votes per transaction of `applyDecision`. */
const APPLIED_MAX = 40;

/** The writes that make a vote follow the decision about its case, and the change of the count; undefined if it does already. */
const following = (item: Item | undefined, { id, state }: VoteCaseRecord) => {
  const isHeld = item?.held === true;
  const mustBeHeld = state === 'held';
  if (item?.case_id !== id || isHeld === mustBeHeld) return undefined;
  const isSet = item.withdrawn !== true;
  const write: Write = {
    update: keyOf(item),
    change: mustBeHeld ? { set: { held: true } } : { remove: ['held'] },
    when: every(
      is('case_id', id),
      mustBeHeld ? lacks('held') : is('held', true),
      isSet ? lacks('withdrawn') : is('withdrawn', true),
    ),
  };
  return { write, change: isSet ? (mustBeHeld ? -1 : 1) : 0 };
};

/** @throws ConditionFailed when the case was decided otherwise or a vote has changed. */
const applyTo = async (record: VoteCaseRecord, userIds: readonly string[]): Promise<void> => {
  const votes = await findItems(userIds.map((userId) => voteKey(record.project_id, userId)));
  const due = votes.map((item) => following(item, record)).filter((one) => one !== undefined);
  if (due.length === 0) return;
  const upvotes = due.reduce((sum, { change }) => sum + change, 0);
  const counts = changeCounts(record.project_id, { upvote_count: upvotes });
  await transact([
    {
      check: voteCaseKey(record.project_id, record.id),
      when: every(is('state', record.state), is('decided_at', record.decided_at)),
    },
    // The counters of a purged project must not be created again.
    { ...counts, when: is('type', 'counts'), orElse: () => new ProjectPurged(record.project_id) },
    ...due.map(({ write }) => write),
  ]);
};

/**
 * Holds or counts the votes of a case as it was decided. Safe to repeat and to run concurrently.
 * @param mayGoOn is asked before each transaction.
 * @returns whether all votes follow the decision, or another one that came after it.
 */
export const applyDecision = async (
  projectId: string,
  caseId: string,
  mayGoOn: (done: number) => boolean,
): Promise<boolean> => {
  const range = { partition: projectPartition(projectId), prefix: caseVotePrefix(caseId), only: ['user_id'] };
  let done = 0;
  for await (const items of collectionPages(range)) {
    const userIds = items.map(({ user_id }) => String(user_id));
    for (let start = 0; start < userIds.length; start += APPLIED_MAX) {
      if (!mayGoOn(done)) return false;
      const some = userIds.slice(start, start + APPLIED_MAX);
      const hasProject = await retryOnConflict(async () => {
        const item = await findItem(voteCaseKey(projectId, caseId));
        if (!item || item.state === 'open') return false;
        try {
          await applyTo(recordOf<VoteCaseRecord>(item), some);
          return true;
        } catch (error) {
          if (error instanceof ProjectPurged) return false;
          throw error;
        }
      });
      if (!hasProject) return true;
      done += some.length;
    }
  }
  return true;
};

/** The writes that take an erased vote out of its case. */
export const departureFrom = (projectId: string, userId: string, vote: Item): Write[] => {
  if (typeof vote.case_id !== 'string') return [];
  const signals = signalsIn(vote.signals);
  return [
    { delete: caseVoteKey(projectId, vote.case_id, String(vote.case_voted_at), userId) },
    {
      update: voteCaseKey(projectId, vote.case_id),
      change: {
        add: {
          votes: -1,
          new_accounts: signals.includes('new_accounts') ? -1 : 0,
          same_network: signals.includes('same_network') ? -1 : 0,
          version: 1,
        },
      },
      when: exists,
    },
  ];
};
