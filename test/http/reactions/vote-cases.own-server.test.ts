import { expect, it } from 'vitest';
import type { Summary } from '#contract/summary.ts';
import type { VoteCase } from '#contract/vote-cases.ts';
import { userKey } from '#data/keys.ts';
import { setVote } from '#data/reactions.ts';
import { exists, updateItem } from '#data/write.ts';
import { kindsAbout, untilEventsDelivered } from '#test/support/events.ts';
import {
  type Directory,
  dataOf,
  FORBIDDEN,
  idOf,
  idsOf,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  TIME,
} from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { countersAndItems } from '#test/support/reaction-counts.ts';
import { freshAddress } from '#test/support/requests.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { withClockAhead } from '#test/support/virtual-time.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const owner = await person(server);
/** Users whose accounts are old. */
const members = async (count: number): Promise<Person[]> => {
  const users = await people(count);
  for (const user of users) {
    await directory.get('/api/user/profile', user);
    await updateItem(userKey(user.id), { set: { joined_at: '2026-01-01T00:00:00.000Z' } }, exists);
  }
  return users;
};
const people = (count: number) => Promise.all(Array.from({ length: count }, () => person(server)));

const vote = async (who: Person, id: string, address = freshAddress(), method = 'PUT') =>
  (
    await server.call(method, `/api/projects/${id}/upvote`, {
      token: who.token,
      headers: { 'x-forwarded-for': address },
    })
  ).body;
const voteAll = async (voters: readonly Person[], id: string, address?: string): Promise<void> => {
  for (const voter of voters) await vote(voter, id, address);
};
const review = () => runJob(server, 'review-votes');
const casesOf = async (id: string, query = '', by: Directory['admin'] = directory.admin): Promise<VoteCase[]> =>
  dataOf<VoteCase[]>(await directory.ok(by, 'GET', `/api/admin/vote-cases?limit=100${query}`)).filter(
    ({ project }) => project.id === id,
  );
/** Waits until the index has the votes and the case. */
const caseOf = async (id: string): Promise<VoteCase> => {
  let found: VoteCase | undefined;
  await server.until(async () => {
    await review();
    [found] = await casesOf(id);
    return found !== undefined;
  });
  return found as unknown as VoteCase;
};
const decide = (of: Pick<VoteCase, 'id'>, decision: 'hold' | 'release', body: unknown = {}, by = directory.admin) =>
  directory.as(by, 'POST', `/api/admin/vote-cases/${of.id}/${decision}`, body);
const upvotes = async (id: string) => (await directory.read(id)).upvote_count;
const countsAreExact = async (id: string) => {
  const { counted, stored } = await countersAndItems(server, id);
  expect(counted).toEqual(stored);
};

longTest('votes of new accounts open a case, which changes no count', async () => {
  const { id, slug } = await directory.live(owner);
  const { name } = await directory.read(id);
  const voters = await people(8);
  await voteAll(voters.slice(0, 7), id);
  await review();
  expect(await casesOf(id)).toEqual([]);
  await voteAll(voters.slice(7), id);
  const found = await caseOf(id);
  expect(found).toEqual({
    id: idOf('vca'),
    project: { id, slug, name },
    ...{ state: 'open', opened_at: TIME, decided_at: null, note: null, votes: 8 },
    signals: [{ name: 'new_accounts', count: 8, explanation: expect.stringContaining('8 votes') as string }],
    accounts: voters.map((voter) => ({
      ...{ id: voter.id, name: voter.name, joined_at: TIME, voted_at: TIME, signals: ['new_accounts'] },
    })),
  });
  expect(await upvotes(id)).toBe(8);
  const read = await directory.adminOk('GET', `/api/admin/vote-cases/${found.id}`);
  expect(dataOf(read)).toEqual(found);
  expect(await directory.asAdmin('GET', '/api/admin/vote-cases/vca_unknown')).toMatchObject(NOT_FOUND);
});

longTest(
  'votes of one network open a case, IPv6 addresses by their first 64 bits, and later ones join it',
  async () => {
    const { id } = await directory.live(owner);
    const voters = await members(7);
    {
      for (const [number, voter] of voters.slice(0, 5).entries()) await vote(voter, id, `2001:db8:1:2::${number + 1}`);
      await vote(voters[5] as Person, id, '2001:db8:1:3::1');
      const found = await caseOf(id);
      expect(found.signals).toMatchObject([{ name: 'same_network', count: 5 }]);
      expect(found.votes).toBe(5);
      await vote(voters[6] as Person, id, '2001:db8:1:2:ffff::1');
      await server.until(async () => {
        await review();
        return expect(await casesOf(id)).toMatchObject([{ id: found.id, votes: 6, signals: [{ count: 6 }] }]);
      });
    }
  },
);

it('votes of more than two days ago are not looked at', async () => {
  const { id } = await directory.live(owner);
  await voteAll(await people(8), id);
  await withClockAhead(49 * 3_600_000, review);
  expect(await casesOf(id)).toEqual([]);
  await withClockAhead(47 * 3_600_000, review);
  expect(await casesOf(id)).toMatchObject([{ votes: 8 }]);
});

it('no address is stored, and what is stored of a network expires after a week', async () => {
  const { id } = await directory.live(owner);
  const [voter] = (await people(1)) as [Person];
  await vote(voter, id, '198.51.100.77');
  const items = await scanTable(server);
  expect(JSON.stringify(items)).not.toContain('198.51.100.77');
  const origin = items.find(({ type, user_id }) => type === 'voteOrigin' && user_id === voter.id);
  const days = (Number(origin?.ttl) - Date.now() / 1000) / 86_400;
  expect(days).toBeGreaterThan(6.9);
  expect(days).toBeLessThan(7.1);
  await vote(voter, id, undefined, 'DELETE');
  const left = (await scanTable(server)).filter(({ user_id, project_id }) => user_id === voter.id && project_id === id);
  expect(left).toEqual([]);
});

it('hold takes the votes out of the count and all orders, and release counts them again', async () => {
  const { id } = await directory.live(owner);
  const others = await members(2);
  await voteAll(others, id);
  const voters = await people(8);
  {
    await voteAll(voters, id, '203.0.113.9');
    const found = await caseOf(id);
    const held = await decide(found, 'hold', { note: 'A ring.' });
    expect(held).toMatchObject({ status: 200, body: { data: { state: 'held', decided_at: TIME, note: 'A ring.' } } });
    expect(await upvotes(id)).toBe(2);
    await server.until(async () => {
      const list = await directory.get('/api/projects?sort=upvotes&limit=100');
      return expect(
        dataOf<{ id: string; upvote_count: number }[]>(list).find((one) => one.id === id)?.upvote_count,
      ).toBe(2);
    });
    // Without effect when repeated.
    expect(dataOf(await decide(found, 'hold', { note: 'Again.' }))).toEqual(dataOf(held));
    // The voters notice nothing, also when they clear and set their vote.
    const [first] = voters as [Person];
    expect((await directory.read(id, first)).viewer).toMatchObject({ upvoted: true });
    expect(await vote(first, id, undefined, 'DELETE')).toEqual({ data: { upvoted: false, upvote_count: 2 } });
    expect((await directory.read(id, first)).viewer).toMatchObject({ upvoted: false });
    expect(await vote(first, id)).toEqual({ data: { upvoted: true, upvote_count: 2 } });
    expect(await upvotes(id)).toBe(2);
    const { drift } = await runJob(server, 'reconcile-counters');
    expect(drift).toEqual([]);
    await countsAreExact(id);
    // Votes of a decided case are not looked at again.
    await review();
    expect(await casesOf(id)).toHaveLength(1);
    expect(await decide(found, 'release')).toMatchObject({
      status: 200,
      body: { data: { state: 'released', votes: 8 } },
    });
    expect(await upvotes(id)).toBe(10);
    expect(await decide(found, 'hold')).toMatchObject({ status: 200 });
    expect(await upvotes(id)).toBe(2);
    await untilEventsDelivered(server, directory);
    expect((await kindsAbout(server, found.id)).filter((kind) => kind.startsWith('votes'))).toEqual([
      'votesHeld',
      'votesReleased',
      'votesHeld',
    ]);
    const audit = await directory.adminOk('GET', `/api/admin/audit?subject=vote-case:${found.id}`);
    expect(dataOf<{ action: string }[]>(audit).map(({ action }) => action)).toEqual([
      'voteCases.hold',
      'voteCases.release',
      'voteCases.hold',
    ]);
  }
});

longTest('a vote that is cleared before its case is held does not escape', async () => {
  const { id } = await directory.live(owner);
  const voters = await people(8);
  await voteAll(voters, id);
  const found = await caseOf(id);
  const [first] = voters as [Person];
  await vote(first, id, undefined, 'POST');
  expect(await upvotes(id)).toBe(7);
  await decide(found, 'hold');
  expect(await upvotes(id)).toBe(0);
  expect(await vote(first, id, undefined, 'POST')).toEqual({ data: { upvoted: true, upvote_count: 0 } });
  await decide(found, 'release');
  expect(await upvotes(id)).toBe(8);
  await countsAreExact(id);
});

longTest('release closes an open case without an event', async () => {
  const { id } = await directory.live(owner);
  await voteAll(await people(8), id);
  const found = await caseOf(id);
  const waiting = async () => dataOf<Summary>(await directory.adminOk('GET', '/api/admin/summary')).vote_cases_open;
  const before = await waiting();
  expect(before).toBeGreaterThan(0);
  const released = await directory.asAdmin('POST', `/api/admin/vote-cases/${found.id}/release`);
  expect(released).toMatchObject({ status: 200, body: { data: { state: 'released', note: null } } });
  await server.until(async () => expect(await waiting()).toBe(Number(before) - 1));
  expect(await upvotes(id)).toBe(8);
  await untilEventsDelivered(server, directory);
  expect((await kindsAbout(server, found.id)).filter((kind) => kind.startsWith('votes'))).toEqual([]);
  await server.until(async () => {
    expect(await casesOf(id, '&state=open')).toEqual([]);
    expect(await casesOf(id, '&state=released')).toHaveLength(1);
    return expect(await casesOf(id, '&state=held')).toEqual([]);
  });
});

longTest('counts are exact when votes change while a case is decided', async () => {
  const { id } = await directory.live(owner);
  const voters = await people(12);
  await voteAll(voters, id);
  const found = await caseOf(id);
  await Promise.all([
    ...voters.map((voter) => vote(voter, id, undefined, 'POST')),
    decide(found, 'hold'),
    decide(found, 'release'),
    ...voters.map((voter) => vote(voter, id, undefined, 'POST')),
    decide(found, 'hold'),
  ]);
  await untilEventsDelivered(server, directory);
  await countsAreExact(id);
  expect((await runJob(server, 'reconcile-counters')).drift).toEqual([]);
});

longTest('a large case continues in the background', async () => {
  const { id } = await directory.live(owner);
  const joinedAt = new Date().toISOString();
  const ids = Array.from({ length: 230 }, (_, number) => `usr_ring_${number}`);
  for (const user of ids) await setVote(id, user, undefined, { joinedAt, network: '192.0.2.1' });
  const found = await caseOf(id);
  expect(found).toMatchObject({ votes: 230, accounts: { length: 50 } });
  expect(await decide(found, 'hold')).toMatchObject({ status: 202, body: { data: { state: 'held' } } });
  await server.until(async () => expect(await upvotes(id)).toBe(0));
  expect(await decide(found, 'release')).toMatchObject({ status: 202 });
  await server.until(async () => expect(await upvotes(id)).toBe(230));
  await countsAreExact(id);
});

longTest('an erased voter leaves the case and the count, and the export has what is stored of a vote', async () => {
  const { id } = await directory.live(owner);
  const voters = await people(9);
  await voteAll(voters, id);
  const found = await caseOf(id);
  await decide(found, 'hold');
  const [first] = voters as [Person];
  const exported = await directory.ok(first, 'GET', '/api/user/export');
  const { votes } = dataOf<{ votes: object[] }>(exported);
  expect(votes).toMatchObject([{ project_id: id, held: true, joined_at: TIME, network: expect.any(String) as string }]);
  await directory.ok(first, 'DELETE', '/api/user');
  await untilEventsDelivered(server, directory);
  const after = dataOf<VoteCase>(await directory.adminOk('GET', `/api/admin/vote-cases/${found.id}`));
  expect(after).toMatchObject({ votes: 8, signals: [{ name: 'new_accounts', count: 8 }] });
  expect(after.accounts.map((account) => account.id)).not.toContain(first.id);
  expect(JSON.stringify((await scanTable(server)).filter(({ type }) => type !== 'user'))).not.toContain(first.id);
  await countsAreExact(id);
});

longTest('a purge deletes the cases of the project', async () => {
  const { id } = await directory.live(owner);
  await voteAll(await people(8), id);
  const found = await caseOf(id);
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  await untilEventsDelivered(server, directory);
  expect(await directory.asAdmin('GET', `/api/admin/vote-cases/${found.id}`)).toMatchObject(NOT_FOUND);
  expect(await decide(found, 'hold')).toMatchObject(NOT_FOUND);
  expect(await decide(found, 'release')).toMatchObject(NOT_FOUND);
  const left = (await scanTable(server)).filter(({ pk, type }) => String(pk).includes(id) && String(type).match(/ote/));
  expect(left).toEqual([]);
});

longTest('moderators and keys neither see nor decide cases about their own listings', async () => {
  const moderator = await person(server);
  await directory.get('/api/user/profile', moderator);
  await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
  const key = asPerson(await createKey(server, directory.admin, ['moderation', 'projects:write']));
  const foreign = await directory.live(owner);
  await voteAll(await people(8), foreign.id);
  const other = await caseOf(foreign.id);
  for (const staff of [moderator, key]) {
    const own = await directory.live(staff);
    await voteAll(await people(8), own.id);
    const found = await caseOf(own.id);
    expect(await casesOf(own.id, '', staff)).toEqual([]);
    expect(await casesOf(foreign.id, '', staff)).toHaveLength(1);
    const list = await directory.ok(staff, 'GET', '/api/admin/vote-cases?limit=100');
    expect(metaOf(list).total).toBe(idsOf(list).length);
    expect(idsOf(list)).toEqual(idsOf(list).toSorted().reverse());
    expect(await directory.get(`/api/admin/vote-cases/${found.id}`, staff)).toMatchObject(FORBIDDEN);
    for (const decision of ['hold', 'release'] as const)
      expect(await decide(found, decision, {}, staff)).toMatchObject(FORBIDDEN);
    expect(await decide(other, 'hold', {}, staff)).toMatchObject({ status: 200 });
  }
});
