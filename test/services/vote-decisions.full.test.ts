import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { retryOnConflict } from '#data/conflict.ts';
import { readCounts } from '#data/counts.ts';
import { userKey, voteOriginKey } from '#data/keys.ts';
import { insertProject } from '#data/projects.ts';
import { clearVote, findVote, setVote } from '#data/reactions.ts';
import { exists, putItem, updateItem } from '#data/write.ts';
import type { UserRecord } from '#model/user.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { reviewVotes } from '#services/jobs/review-votes.ts';
import { decideVoteCase, finishDecision } from '#services/reactions/vote-cases.ts';
import { origin, project } from '#test/catalog/fixtures.ts';
import { Random } from '#test/catalog/random.ts';
import { inDyingProcess } from '#test/support/mortal-process.ts';
import { seeds } from '#test/support/sample.ts';
import { until } from '#test/support/until.ts';
import { withBareTable } from '#test/support/with-bare-table.ts';

/** Cases of votes that are opened, held and released by processes that die between any two writes, beside other votes. */

const table = withBareTable();
const admin = { id: 'usr_admin', is_admin: true } as UserRecord;

/** More than a transaction of a case has, so that a death leaves some of them behind. */
const VOTERS = 70;
const MINUTE_MS = 60_000;

type StoredItem = Readonly<Record<string, unknown>>;

const toggle = (projectId: string, userId: string): Promise<void> =>
  retryOnConflict(async () => {
    const vote = await findVote(projectId, userId);
    if (vote?.isSet) await clearVote(projectId, userId, vote);
    else await setVote(projectId, userId, vote, { joinedAt: now(), network: undefined });
  });

/** What is stored about the votes of a project. */
const stored = async (projectId: string) => {
  const items = (await table.scan()).filter(({ pk }) => String(pk).includes(projectId));
  const ofType = (type: string): StoredItem[] => items.filter((item) => item.type === type);
  const { upvote_count: counted } = await readCounts(projectId);
  return { votes: ofType('vote'), cases: ofType('voteCase'), members: ofType('caseVote'), counted };
};

/** The number of messages of a kind about a case. */
const messagesOf = async (kind: string, caseId: string): Promise<number> =>
  (await table.scan()).filter((item) => item.kind === kind && (item.data as { case_id?: string }).case_id === caseId)
    .length;

const countsAre = async (projectId: string): Promise<void> => {
  const { votes, counted } = await stored(projectId);
  const counting = votes.filter(({ held, withdrawn }) => held !== true && withdrawn !== true);
  expect(counted).toBe(counting.length);
};

const simulate = async (seed: number): Promise<void> => {
  const random = new Random(seed);
  const projectId = newId('prj');
  const owner = `usr_${randomUUID()}`;
  await putItem({ ...userKey(owner), type: 'user', id: owner });
  await insertProject(project({ id: projectId, owner_id: owner }), origin, []);
  const voters = Array.from({ length: VOTERS }, () => `usr_${randomUUID()}`);
  for (const voter of voters) await toggle(projectId, voter);

  /** Runs work in a process that may die, beside votes of others in processes that may die too. */
  const besideVotes = async (work: () => Promise<unknown>): Promise<void> => {
    const others = random.some(voters, 40);
    await Promise.all([
      random.chance(0.7) ? inDyingProcess(random, 5, work).catch(() => undefined) : work(),
      ...others.map((voter) => inDyingProcess(random, 2, () => toggle(projectId, voter)).catch(() => undefined)),
    ]);
  };

  for (let round = 0; round < 3; round += 1) await besideVotes(() => reviewVotes(MINUTE_MS));
  await expect
    .poll(async () => (await stored(projectId)).cases.length || (await reviewVotes(MINUTE_MS)).opened)
    .toBe(1);
  await reviewVotes(MINUTE_MS);
  const opened = await stored(projectId);
  const [opening] = opened.cases;
  const caseId = String(opening?.id);
  expect(opening).toMatchObject({ state: 'open', votes: opened.members.length, new_accounts: opened.members.length });
  expect(opened.members.length).toBeGreaterThanOrEqual(VOTERS / 2);
  expect(opened.votes.every(({ held }) => held !== true)).toBe(true);
  await countsAre(projectId);

  const decided = { votesHeld: 0, votesReleased: 0 };
  let before = 'open';
  for (let round = 0; round < 6; round += 1) {
    const state = random.pick(['held', 'released'] as const);
    await besideVotes(() => decideVoteCase(admin, caseId, state, null));
    await countsAre(projectId);
    if (random.chance(0.5)) {
      await besideVotes(() => finishDecision({ project_id: projectId, case_id: caseId }));
      await countsAre(projectId);
    }
    // A committed decision has its event and its task, and the task is delivered until it succeeds.
    const after = String((await stored(projectId)).cases[0]?.state);
    if (after !== before && !(before === 'open' && after === 'released')) {
      decided[after === 'held' ? 'votesHeld' : 'votesReleased'] += 1;
    }
    before = after;
    for (const [kind, count] of Object.entries(decided))
      expect([kind, await messagesOf(kind, caseId)]).toEqual([kind, count]);
    const tasks = await messagesOf('voteCaseDecided', caseId);
    expect(tasks).toBe(decided.votesHeld + decided.votesReleased);
    if (tasks === 0) continue;
    for (let delivery = 0; delivery < 2; delivery += 1) {
      await finishDecision({ project_id: projectId, case_id: caseId });
      const { votes } = await stored(projectId);
      const members = votes.filter(({ case_id: own }) => own === caseId);
      expect(members.map(({ held }) => held === true)).toEqual(members.map(() => after === 'held'));
      await countsAre(projectId);
    }
  }
};

it('holding and releasing votes is complete or not begun, and counts stay exact, although processes die between any two writes', async () => {
  for (const seed of seeds(8)) await simulate(seed);
}, 600_000);

it('a listing whose votes cannot be reviewed does not keep the review from the others, and fails the job', async () => {
  const [broken, other] = [newId('prj'), newId('prj')];
  const voters = Array.from({ length: 8 }, () => `usr_${randomUUID()}`);
  const owner = `usr_${randomUUID()}`;
  await putItem({ ...userKey(owner), type: 'user', id: owner });
  for (const id of [broken, other]) {
    await insertProject(project({ id, slug: id, url: `https://${id}.example`, owner_id: owner }), origin, []);
    for (const voter of voters) await toggle(id, voter);
  }
  // No key has so many characters, so no case with this vote can be stored.
  await updateItem(voteOriginKey(broken, String(voters[0])), { set: { user_id: 'x'.repeat(3000) } }, exists);
  await until(async () => {
    await expect(reviewVotes(MINUTE_MS)).rejects.toThrow('Not all listings could be reviewed.');
    return (await stored(other)).cases.length === 1;
  });
  expect((await stored(broken)).cases).toEqual([]);
});
