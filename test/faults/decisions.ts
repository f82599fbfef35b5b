import { expect } from 'vitest';
import type { Claim } from '#contract/claims.ts';
import type { VoteCase } from '#contract/vote-cases.ts';
import { projectKey, publicationKey } from '#data/keys.ts';
import { setVote } from '#data/reactions.ts';
import { updateItem } from '#data/write.ts';
import type { CallResponse } from '#test/support/client.ts';
import { type Directory, dataOf, idsOf, type Person, person, type Submitted, unique } from '#test/support/fixtures.ts';
import { callJob, runJob } from '#test/support/jobs.ts';

/** Vote cases, claims, a scheduled publication and a digest in the matrix of faults. */

interface CaseOfVotes {
  readonly project: Submitted;
  readonly id: string;
}

export interface Decisions {
  readonly directory: Directory;
  /** Its votes count. */
  readonly toHold: CaseOfVotes;
  /** Its votes are held. */
  readonly toRelease: CaseOfVotes;
  /** Has conspicuous votes and no case. */
  readonly conspicuous: Submitted;
  readonly claimant: Person;
  /** Its claim waits for a decision. */
  readonly toApprove: { readonly project: Submitted; readonly id: string };
  readonly toClaim: Submitted;
  /** Its time of publication has come. */
  readonly due: Submitted;
  /** Follows what is new in a category that has a new listing. */
  readonly follower: Person;
}

/** The votes of a case; another one counts beside them. */
const RING = 5;

const CASES = '/api/admin/vote-cases';
const JOBS = ['review-votes', 'publish-scheduled', 'follow-digest'] as const;

const vote = (project: Submitted, network: string): Promise<unknown> =>
  setVote(project.id, `usr_${unique()}`, undefined, { joinedAt: '2026-01-01T00:00:00.000Z', network });

const ringOn = async (project: Submitted): Promise<Submitted> => {
  await vote(project, '198.51.100.1');
  for (let count = 0; count < RING; count += 1) await vote(project, '192.0.2.1');
  return project;
};

const casesOf = async (directory: Directory, { id }: Submitted): Promise<VoteCase[]> =>
  dataOf<VoteCase[]>(await directory.adminOk('GET', `${CASES}?limit=100`)).filter(({ project }) => project.id === id);

const openCase = async (directory: Directory, project: Submitted): Promise<CaseOfVotes> => {
  let found: VoteCase | undefined;
  await directory.server.until(async () => {
    await runJob(directory.server, 'review-votes');
    [found] = await casesOf(directory, project);
    return found?.votes === RING;
  });
  return { project, id: found?.id ?? '' };
};

export const prepareDecisions = async (directory: Directory): Promise<Decisions> => {
  const { server } = directory;
  const [keeper, claimant, follower] = [await person(server), await person(server), await person(server)];
  for (const one of [claimant, follower]) await directory.ok(one, 'GET', '/api/user/profile');
  const live = (owner: Person, fields: object = {}) =>
    directory.live(owner, { url: `https://${unique('shop')}.example.com/`, ...fields });
  const { slug } = await directory.addCategory();
  await directory.ok(follower, 'POST', '/api/me/follows', { query: { category: slug }, frequency: 'daily' }, 201);
  const followed = await live(keeper, { categories: [slug] });
  const [toHold, toRelease] = [await ringOn(await live(keeper)), await ringOn(await live(keeper))];
  const released = await openCase(directory, toRelease);
  const held = await openCase(directory, toHold);
  await directory.adminOk('POST', `${CASES}/${released.id}/hold`);
  const [toApprove, toClaim] = [await live(keeper), await live(directory.admin)];
  const claims = `/api/projects/${toApprove.id}/claims`;
  const { id } = dataOf<Claim>(await directory.ok(claimant, 'POST', claims, { method: 'mail' }, 201));
  const conspicuous = await ringOn(await live(keeper));
  const due = await directory.submit(keeper, { publish_at: new Date(Date.now() + 86_400_000).toISOString() });
  await directory.adminOk('PUT', `/api/admin/projects/${due.id}/approve`);
  await server.until(async () => idsOf(await directory.get(`/api/projects?category=${slug}`)).includes(followed.id));
  // Later than the listing that the digest is about: a digest waits for what is due before it.
  const publish_at = new Date(Date.now() - 1).toISOString();
  await updateItem(projectKey(due.id), { set: { publish_at } });
  await updateItem(publicationKey(due.id), { set: { collection_sk: `${publish_at}#${due.id}` } });
  return {
    directory,
    toHold: held,
    toRelease: released,
    conspicuous,
    claimant,
    toApprove: { project: toApprove, id },
    toClaim,
    due,
    follower,
  };
};

type Send = (decisions: Decisions) => Promise<CallResponse>;

const decide =
  (of: (decisions: Decisions) => string): Send =>
  (decisions) =>
    decisions.directory.asAdmin('POST', of(decisions));
const hold = decide(({ toHold }) => `${CASES}/${toHold.id}/hold`);
const release = decide(({ toRelease }) => `${CASES}/${toRelease.id}/release`);
const approveClaim = decide(({ toApprove }) => `/api/admin/claims/${toApprove.id}/approve`);
const claim: Send = ({ directory, claimant, toClaim }) =>
  directory.as(claimant, 'POST', `/api/projects/${toClaim.id}/claims`, { method: 'mail' });
const job =
  (name: string): Send =>
  ({ directory }) =>
    callJob(directory.server, name);

/** The requests during a fault, by their names on the page. */
export const decisionRequests: Readonly<Record<string, Send>> = {
  'An administrator holds votes': hold,
  'An administrator releases votes': release,
  'An administrator approves a claim': approveClaim,
  'A user proves a claim': claim,
  ...Object.fromEntries(JOBS.map((name) => [`The job \`${name}\``, job(name)])),
};

/** Repeats every request that a client cannot know to have succeeded. */
export const repeatDecisions = async (decisions: Decisions): Promise<void> => {
  const repeat = (send: Send, ...statuses: readonly number[]): Promise<void> =>
    decisions.directory.server.until(async () => statuses.includes((await send(decisions)).status));
  await Promise.all([
    repeat(hold, 200),
    repeat(release, 200),
    // 409: the request without a response was successful.
    repeat(approveClaim, 200, 409),
    repeat(claim, 201, 409),
    ...JOBS.map((name) => repeat(job(name), 200)),
  ]);
};

/** What is found once everything was repeated, as counts by their names on the page. */
export const inspectDecisions = async (decisions: Decisions): Promise<Record<string, number>> => {
  const { directory, toHold, toRelease, conspicuous, claimant, toApprove, toClaim, due, follower } = decisions;
  const { server } = directory;
  const votesOf = async ({ id }: Submitted) => (await directory.read(id)).upvote_count;
  const eventsOf = async ({ id }: Submitted, kind: string) =>
    dataOf<{ kind: string }[]>(await directory.adminOk('GET', `/api/admin/events?subject=project:${id}`)).filter(
      (event) => event.kind === kind,
    ).length;
  const mails = async (to: Person, subject: RegExp) =>
    (await server.mails()).filter((mail) => mail.to === to.email && subject.test(mail.subject)).length;
  const mailsOfClaim = () => mails(claimant, new RegExp(`^${toApprove.project.slug} is yours now`));
  const digests = () => mails(follower, /new listings? on/);
  await server.until(async () => {
    for (const name of JOBS) await callJob(server, name);
    return (await casesOf(directory, conspicuous)).length > 0 && (await mailsOfClaim()) > 0 && (await digests()) > 0;
  });
  for (const { id } of [toApprove.project, toClaim]) expect((await directory.read(id)).owner_id).toBe(claimant.id);
  expect(await directory.read(due.id)).toMatchObject({ status: 'live' });
  const claims = dataOf<Claim[]>(await directory.ok(claimant, 'GET', '/api/me/claims'));
  return {
    'Votes that count beside held ones': await votesOf(toHold.project),
    'Events of the hold': await eventsOf(toHold.project, 'votesHeld'),
    'Times that a released vote counts': ((await votesOf(toRelease.project)) - 1) / RING,
    'Events of the release': await eventsOf(toRelease.project, 'votesReleased'),
    'Cases of conspicuous votes': (await casesOf(directory, conspicuous)).length,
    'Events of the approved claim': await eventsOf(toApprove.project, 'projectClaimed'),
    'Claims that the user has proven': claims.filter(({ project }) => project.id === toClaim.id).length,
    'Emails about the approved claim': await mailsOfClaim(),
    'Publications of the scheduled project': await eventsOf(due, 'projectApproved'),
    'Digests of the follow': await digests(),
  };
};
