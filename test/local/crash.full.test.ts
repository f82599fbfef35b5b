import { existsSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Claim } from '#contract/claims.ts';
import type { VoteCase } from '#contract/vote-cases.ts';
import { type Client, clientOf } from '#test/support/client.ts';
import { mailsTo } from '#test/support/events.ts';
import { Directory, dataOf, type Person, person, type Submitted, unique } from '#test/support/fixtures.ts';
import { callJob, runJob } from '#test/support/jobs.ts';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** Acknowledged writes and their consequences survive a killed process. */

let dataDir: string;
let server: ServerProcess;
let client: Client;

const start = async (): Promise<void> => {
  server = startProcess(dataDir);
  client = clientOf(await server.url());
};

const kill = async (): Promise<void> => {
  const engine = path.join(dataDir, 'engine.json');
  // The engine is killed as well, as after a power failure.
  if (existsSync(engine)) process.kill((JSON.parse(readFileSync(engine, 'utf8')) as { pid: number }).pid, 'SIGKILL');
  client.close();
  await server.end('SIGKILL');
};

const submission = (number: number) => ({
  plan: 'standard',
  name: `Project ${number}`,
  url: `https://project-${number}.example.com`,
  description: 'Submitted before a crash.',
  categories: ['media'],
  pricing_type: 'free',
});

beforeEach(() => {
  dataDir = temporaryDataDir();
});

afterEach(async () => {
  client.close();
  await server.end('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

it('killing all processes loses no acknowledged submission, event or mail, and leaves no claimed slug without a listing', async () => {
  const acknowledged = new Map<string, string>();
  let count = 0;
  for (let round = 0; round < 3; round += 1) {
    await start();
    const token = await client.token({ email: 'submitter@example.com', name: 'Submitter' });
    let killed = false;
    const submit = async (): Promise<void> => {
      while (!killed) {
        count += 1;
        const body = submission(count);
        try {
          const response = await client.call('POST', '/api/projects', { token, body });
          if (response.status !== 201) throw new Error(`Status ${response.status}. ${server.output()}`);
          acknowledged.set((response.body as { data: { id: string } }).data.id, body.name);
        } catch (error) {
          // The connection broke with the process: nothing was acknowledged.
          if (!killed) throw error;
        }
      }
    };
    const submitting = Promise.all([submit(), submit(), submit()]);
    // Kills the process during requests, at a different moment in each round.
    const enough = acknowledged.size + 7;
    await Promise.race([submitting, client.until(async () => acknowledged.size >= enough)]);
    await wait(round * 7);
    killed = true;
    await kill();
    await submitting;
  }
  await start();
  const admin = await client.token({ email: 'root@example.com', admin: true });
  for (const [id, name] of acknowledged) {
    const response = await client.call('GET', `/api/projects/${id}`, { token: admin });
    expect([response.status, (response.body as { data: { name: string } }).data.name]).toEqual([200, name]);
  }
  // Submissions without a response are stored completely or not at all.
  const stored = new Set(acknowledged.keys());
  for (let number = 1; number <= count; number += 1) {
    const { status, body } = await client.call('GET', `/api/projects/project-${number}`, { token: admin });
    if (status === 200) stored.add((body as { data: { id: string } }).data.id);
    const probe = { ...submission(number), slug: `project-${number}`, name: 'Probe' };
    const claimed = await client.call('POST', '/api/projects', { token: admin, body: probe });
    expect([number, claimed.status]).toEqual([number, status === 200 ? 409 : 201]);
  }
  const names = [...acknowledged.values()];
  await client.until(async () => {
    const submitted = new Set((await client.events()).map(({ data }) => (data as { project_id: string }).project_id));
    return [...stored].every((id) => submitted.has(id));
  });
  await client.until(async () => {
    const texts = (await client.mails()).map(({ subject, text }) => `${subject} ${text}`);
    return names.every((name) => texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)));
  }, 10_000);
}, 120_000);

/** A user with a token of the restarted server, whose issuer has another port. */
const again = async ({ id, email, name }: Person): Promise<Person> => ({
  id,
  email,
  name,
  token: await client.token({ email, name }),
});

const VOTERS = 90;
const KILLED_AFTER_MS = [0, 30, 60, 120, 240];
/** The mail of a killed run can be sent again once its claim of the event has expired, after 35 seconds. */
const DELIVERED_MS = 90_000;

it('killing all processes loses nothing of a hold or release of votes, a claim, a publication or a digest', async () => {
  await start();
  let people = await Promise.all(Array.from({ length: VOTERS + 2 }, () => person(client)));
  let [owner, claimant, ...voters] = people as [Person, Person, ...Person[]];
  let directory = await Directory.create(client);
  const live = () => directory.live(owner, { url: `https://${unique('shop')}.example.com/` });
  const readCase = async (id: string): Promise<VoteCase> =>
    dataOf(await directory.adminOk('GET', `/api/admin/vote-cases/${id}`));
  const caseOf = async ({ id }: Submitted): Promise<VoteCase> => {
    let found: VoteCase | undefined;
    await client.until(async () => {
      await runJob(client, 'review-votes');
      const cases = dataOf<VoteCase[]>(await directory.adminOk('GET', '/api/admin/vote-cases?limit=100'));
      found = cases.find(({ project, votes }) => project.id === id && votes === VOTERS);
      return found !== undefined;
    }, 20_000);
    return found as unknown as VoteCase;
  };
  const decide = (id: string, decision: 'hold' | 'release') =>
    directory.asAdmin('POST', `/api/admin/vote-cases/${id}/${decision}`);
  const events = async ({ id }: Submitted, kind: string) =>
    dataOf<{ kind: string }[]>(await directory.adminOk('GET', `/api/admin/events?subject=project:${id}`)).filter(
      (event) => event.kind === kind,
    );

  let held: { readonly project: Submitted; readonly id: string } | undefined;
  for (const afterMs of KILLED_AFTER_MS) {
    const follower = await person(client);
    const follow = { query: { category: directory.category }, frequency: 'daily' };
    await directory.ok(follower, 'POST', '/api/me/follows', follow, 201);
    const [voted, claimed] = [await live(), await live()];
    for (const { token } of voters) await client.call('PUT', `/api/projects/${voted.id}/upvote`, { token });
    const { id: caseId } = await caseOf(voted);
    const opened = await directory.ok(claimant, 'POST', `/api/projects/${claimed.id}/claims`, { method: 'mail' }, 201);
    const { id: claimId } = dataOf<Claim>(opened);
    const dueAt = Date.now() + 2000;
    const scheduled = await directory.submit(owner, { publish_at: new Date(dueAt).toISOString() });
    await directory.adminOk('PUT', `/api/admin/projects/${scheduled.id}/approve`);
    await wait(Math.max(0, dueAt - Date.now()));
    const released = held;
    const working = Promise.allSettled([
      decide(caseId, 'hold'),
      ...(released ? [decide(released.id, 'release')] : []),
      directory.asAdmin('POST', `/api/admin/claims/${claimId}/approve`),
      callJob(client, 'publish-scheduled'),
      callJob(client, 'follow-digest'),
    ]);
    await wait(afterMs);
    await kill();
    await working;

    await start();
    people = await Promise.all(people.map(again));
    [owner, claimant, ...voters] = people as [Person, Person, ...Person[]];
    directory = await Directory.create(client, await again(directory.admin));
    // What was decided is complete; what was not is as before.
    const settles = async (project: Submitted, id: string, before: number) => {
      const { state } = await readCase(id);
      const votes = state === 'held' ? 0 : state === 'released' ? VOTERS : before;
      await client.until(async () => (await directory.read(project.id)).upvote_count === votes, DELIVERED_MS);
      return state;
    };
    const first = await settles(voted, caseId, VOTERS);
    expect(await events(voted, 'votesHeld')).toHaveLength(first === 'held' ? 1 : 0);
    expect(await decide(caseId, 'hold')).toMatchObject({ status: 200 });
    expect(await settles(voted, caseId, 0)).toBe('held');
    if (released) {
      const second = await settles(released.project, released.id, 0);
      expect(await events(released.project, 'votesReleased')).toHaveLength(second === 'released' ? 1 : 0);
      expect(await decide(released.id, 'release')).toMatchObject({ status: 200 });
      expect(await settles(released.project, released.id, VOTERS)).toBe('released');
    }
    held = { project: voted, id: caseId };
    const approved = await directory.asAdmin('POST', `/api/admin/claims/${claimId}/approve`);
    expect([200, 409]).toContain(approved.status);
    expect((await directory.read(claimed.id)).owner_id).toBe(claimant.id);
    await runJob(client, 'publish-scheduled');
    expect(await directory.read(scheduled.id)).toMatchObject({ status: 'live' });
    await client.until(
      async () =>
        (await events(claimed, 'projectClaimed')).length > 0 && (await events(scheduled, 'projectApproved')).length > 0,
      DELIVERED_MS,
    );
    expect(await events(claimed, 'projectClaimed')).toHaveLength(1);
    expect(await events(scheduled, 'projectApproved')).toHaveLength(1);
    await client.until(async () => {
      await callJob(client, 'follow-digest');
      const subjects = (await mailsTo(client, claimant)).map(({ subject }) => subject);
      const digests = (await mailsTo(client, follower)).filter(({ subject }) => /new listings? on/.test(subject));
      return subjects.includes(`${claimed.slug} is yours now`) && digests.length > 0;
    }, DELIVERED_MS);
  }
  expect((await runJob(client, 'reconcile-counters')).drift).toEqual([]);
}, 600_000);
