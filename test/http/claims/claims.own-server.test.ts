import { expect, it } from 'vitest';
import type { AdminClaim, Claim, ClaimMethod, ClaimState } from '#contract/claims.ts';
import type { Revision } from '#contract/revisions.ts';
import type { Summary } from '#contract/summary.ts';
import { claimReplacement, findClaim } from '#data/claims.ts';
import { transact } from '#data/write.ts';
import { DAY_MS } from '#model/days.ts';
import { kindsAbout, mailsTo, untilEventsDelivered, untilEventsPublished } from '#test/support/events.ts';
import {
  BANNED,
  ban,
  conflict,
  dataOf,
  FORBIDDEN,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  type Submitted,
  subjectOf,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { asPerson, createKey } from '#test/support/keys.ts';
import { longTest } from '#test/support/long-test.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const { server, directory } = await ownDirectory();
const off = featureToSwitchOff();

const MINE = '/api/me/claims';
const ADMIN = '/api/admin/claims';
const claimsOf = ({ id }: Pick<Submitted, 'id'>) => `/api/projects/${id}/claims`;

/** A live listing of a user of its own, on a host of its own below `example.com`, where all test users have their mail. */
const listing = async (owner?: Person, url = `https://${unique('shop')}.example.com/`): Promise<Submitted> =>
  await directory.live(owner ?? (await person(server)), { url });

const claim = (user: Person, project: Submitted, method: ClaimMethod = 'manual', message?: string) =>
  directory.as(user, 'POST', claimsOf(project), { method, ...(message !== undefined && { message }) });

const claimed = async (user: Person, project: Submitted, method?: ClaimMethod): Promise<Claim> => {
  const response = await claim(user, project, method);
  expect(response).toMatchObject({ status: 201 });
  return dataOf(response);
};

const approve = (id: string) => directory.asAdmin('POST', `${ADMIN}/${id}/approve`);
const reject = (id: string, body?: object) => directory.asAdmin('POST', `${ADMIN}/${id}/reject`, body);
const withdraw = (user: Person, project: Submitted, id: string) =>
  directory.as(user, 'DELETE', `${claimsOf(project)}/${id}`);
const stateOf = async (user: Person, id: string): Promise<ClaimState | undefined> =>
  dataOf<Claim[]>(await directory.ok(user, 'GET', MINE)).find((one) => one.id === id)?.state;
const NOT_CLAIMABLE = conflict('NOT_CLAIMABLE');
const INVALID_TRANSITION = conflict('INVALID_TRANSITION');

/** A user with an address, as a token states it. */
const withAddress = async (email: string): Promise<Person> => {
  const token = await server.token({ email, name: 'A test' });
  return { id: subjectOf(token), email, name: 'A test', token };
};

/** Makes a claim older. */
const age = async (id: string, ms: number): Promise<void> => {
  const stored = await findClaim(id);
  if (!stored) throw new Error('There is no such claim.');
  const created_at = new Date(Date.parse(stored.created_at) - ms).toISOString();
  await transact([claimReplacement(stored, { ...stored, created_at })]);
};

const queries = ['', ...['open', 'proven', 'approved', 'expired'].map((state) => `state=${state}`), 'page=2'];
const atFirst = await Promise.all(queries.map((query) => directory.get(`${ADMIN}?${query}`, directory.admin)));

it('lists of claims are empty at first', async () => {
  for (const response of atFirst) {
    expect(response.status).toBe(200);
    expect([idsOf(response), metaOf(response).total]).toEqual([[], 0]);
  }
  expect(idsOf(await directory.ok(await person(server), 'GET', MINE))).toEqual([]);
});

longTest('a claim by mail at the domain of the listing is proven at once and waits for an administrator', async () => {
  const [user, project] = [await person(server), await listing()];
  const response = await claim(user, project, 'mail', '  It is my shop.  ');
  const { created_at } = dataOf<Claim>(response);
  const { name } = await directory.read(project.id);
  const expected = {
    id: idOf('clm'),
    project: { id: project.id, slug: project.slug, name },
    method: 'mail',
    state: 'proven',
    proof: null,
    last_check: null,
    created_at: TIME,
    expires_at: new Date(Date.parse(created_at) + 14 * DAY_MS).toISOString(),
    decided_at: null,
    reason: null,
  };
  expect(response).toEqual({ status: 201, headers: response.headers, body: { data: expected } });
  expect(await mailsTo(server, user)).toEqual([]);
  const [seen] = dataOf<AdminClaim[]>(await directory.adminOk('GET', `${ADMIN}?state=proven`));
  const { owner_id } = await directory.read(project.id);
  expect(seen).toEqual({
    ...dataOf<Claim>(response),
    message: 'It is my shop.',
    host: expect.stringMatching(/^shop.*\.example\.com$/) as unknown,
    claimant: { id: user.id, name: user.name, email: user.email },
    owner: expect.objectContaining({ id: owner_id }) as unknown,
  });
});

it.each([
  ['the host', 'https://www.blog.shop.example/page', 'me@blog.shop.example', 201],
  ['the registrable domain', 'https://www.blog.shop.example/page', 'me@shop.example', 201],
  ['the registrable domain below a long suffix', 'https://shop.co.uk/', 'me@shop.co.uk', 201],
  ['a domain in capitals', 'https://Shop.Example:8443/', 'Me@SHOP.example', 201],
  ['an international domain', 'https://bücher.example/', 'me@xn--bcher-kva.example', 201],
  ['another host of the domain', 'https://blog.shop.example/', 'me@mail.shop.example', 409],
  ['a domain that ends alike', 'https://shop.example/', 'me@evil-shop.example', 409],
  ['a domain that begins alike', 'https://shop.example/', 'me@shop.example.evil.test', 409],
  ['a public suffix', 'https://shop.co.uk/', 'me@co.uk', 409],
  ['a private public suffix', 'https://alice.github.io/', 'me@github.io', 409],
  ['a neighbour below a private public suffix', 'https://alice.github.io/', 'me@mallory.github.io', 409],
])('an address at %s decides about a claim by mail: %s by %s', async (_, url, email, status) => {
  const project = await listing(undefined, url);
  const user = await withAddress(email);
  const response = await claim(user, project, 'mail');
  expect(response).toMatchObject(status === 201 ? success({ state: 'proven' }, 201) : NOT_CLAIMABLE);
});

it.each([
  'https://gmail.com/',
  'https://mail.proton.me/about',
  'https://tuta.com/',
  'http://localhost:3000/',
  'http://shop.localhost/',
  'http://93.184.215.14/',
  'http://[2606:4700::1111]/',
])('a listing at %s takes claims by the method manual only', async (url) => {
  const project = await listing(undefined, url);
  const { hostname } = new URL(url);
  const user =
    /[a-z]/.test(hostname) && hostname.includes('.')
      ? await withAddress(`${unique('me')}@${hostname}`)
      : await person(server);
  for (const method of ['mail', 'dns', 'page'] as const) {
    expect(await claim(user, project, method)).toMatchObject(NOT_CLAIMABLE);
  }
  expect(await claimed(user, project, 'manual')).toMatchObject({ state: 'open', proof: null });
});

longTest('a host of more than 20 live listings takes claims by the method manual only', async () => {
  const owner = await person(server);
  const host = `${unique('platform')}.example.com`;
  const on = (index: number) => listing(owner, `https://${index % 2 ? 'www.' : ''}${host}/${index}`);
  const live = await Promise.all(Array.from({ length: 20 }, (_, index) => on(index)));
  await directory.submit(owner, { url: `https://${host}/pending` });
  const [first, last] = [live[0] as Submitted, await person(server)];
  const { id } = await claimed(last, first, 'mail');
  await directory.ok(last, 'DELETE', `${claimsOf(first)}/${id}`);
  await on(20);
  for (const method of ['mail', 'dns', 'page'] as const)
    expect(await claim(last, first, method)).toMatchObject(NOT_CLAIMABLE);
  await claimed(last, first, 'manual');
});

it('only live listings of others can be claimed, with a known method and by users who are not banned', async () => {
  const [owner, user] = [await person(server), await person(server)];
  const project = await listing(owner);
  expect(await claim(owner, project)).toMatchObject(NOT_CLAIMABLE);
  expect(await claim(user, project, 'fax' as ClaimMethod)).toMatchObject(invalidAt('method'));
  expect(await directory.as(user, 'POST', claimsOf(project), {})).toMatchObject(invalidAt('method'));
  for (const state of ['pending', 'rejected', 'deleted'] as const) {
    const hidden = await directory.project(state, owner);
    for (const who of [user, owner]) expect(await claim(who, hidden)).toMatchObject(NOT_FOUND);
  }
  expect(await claim(user, { ...project, id: 'prj_unknown' })).toMatchObject(NOT_FOUND);
  await ban(user);
  expect(await claim(user, project)).toMatchObject(BANNED);
});

longTest('a user has one open claim of a listing and five in all, also of concurrent ones', async () => {
  const user = await person(server);
  const projects = await Promise.all(Array.from({ length: 7 }, () => listing()));
  const first = projects[0] as Submitted;
  const same = await Promise.all([claim(user, first), claim(user, first, 'dns')]);
  expect(same.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  expect(same.find(({ status }) => status === 409)).toMatchObject(conflict('CLAIM_OPEN'));
  expect(await claim(user, first, 'mail')).toMatchObject(conflict('CLAIM_OPEN'));
  await claimed(await person(server), first);
  const others = await Promise.all(projects.slice(1).map((project) => claim(user, project)));
  expect(others.filter(({ status }) => status === 201)).toHaveLength(4);
  for (const refused of others.filter(({ status }) => status !== 201))
    expect(refused).toMatchObject(conflict('LIMIT_REACHED'));
  const [open] = dataOf<Claim[]>(await directory.ok(user, 'GET', MINE));
  await directory.ok(user, 'DELETE', `/api/projects/${open?.project.id}/claims/${open?.id}`);
  const refused = projects.slice(1).filter((_, index) => others[index]?.status !== 201);
  await claimed(user, refused[0] as Submitted);
});

it('claims are listed newest first, and only by their user', async () => {
  const user = await person(server);
  const made = [await claimed(user, await listing()), await claimed(user, await listing())];
  const ids = made.map(({ id }) => id).toReversed();
  const listed = await directory.ok(user, 'GET', `${MINE}?limit=1`);
  expect(idsOf(listed)).toEqual(ids.slice(0, 1));
  expect(metaOf(listed)).toEqual({ total: 2, page: 1, pageSize: 1, hasMore: true });
  expect(idsOf(await directory.ok(user, 'GET', `${MINE}?limit=1&page=2`))).toEqual(ids.slice(1));
  expect(idsOf(await directory.ok(await person(server), 'GET', MINE))).toEqual([]);
});

it('a claim is withdrawn by its user only, and once', async () => {
  const [user, project] = [await person(server), await listing()];
  const { id } = await claimed(user, project, 'dns');
  for (const who of [await person(server), directory.admin]) {
    expect(await withdraw(who, project, id)).toMatchObject(NOT_FOUND);
    expect(await directory.as(who, 'POST', `${claimsOf(project)}/${id}/verify`)).toMatchObject(NOT_FOUND);
  }
  expect(await withdraw(user, await listing(), id)).toMatchObject(NOT_FOUND);
  const bySlug = { ...project, id: project.slug };
  expect(await withdraw(user, bySlug, id)).toMatchObject(success({ id, state: 'withdrawn', decided_at: TIME }));
  expect(await withdraw(user, project, id)).toMatchObject(INVALID_TRANSITION);
  expect(await directory.as(user, 'POST', `${claimsOf(project)}/${id}/verify`)).toMatchObject(INVALID_TRANSITION);
  for (const decision of [approve, reject]) expect(await decision(id)).toMatchObject(INVALID_TRANSITION);
});

it('claims without a check have no proof to look for', async () => {
  const [user, project] = [await person(server), await listing()];
  const { id } = await claimed(user, project, 'manual');
  expect(await directory.as(user, 'POST', `${claimsOf(project)}/${id}/verify`)).toMatchObject(INVALID_TRANSITION);
});

it('claims are listed and decided by administrators only', async () => {
  const [user, project, moderator] = [await person(server), await listing(), await person(server)];
  await directory.get('/api/user/profile', moderator);
  await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
  const { id } = await claimed(user, project, 'mail');
  for (const who of [user, moderator]) {
    expect(await directory.get(ADMIN, who)).toMatchObject(FORBIDDEN);
    for (const action of ['approve', 'reject'])
      expect(await directory.as(who, 'POST', `${ADMIN}/${id}/${action}`)).toMatchObject(FORBIDDEN);
  }
  for (const decision of [approve, reject]) expect(await decision('clm_unknown')).toMatchObject(NOT_FOUND);
  expect(await reject('clm_unknown', { reason: 7 })).toMatchObject(NOT_FOUND);
  expect(await reject(id, { reason: 7 })).toMatchObject(invalidAt('reason'));
});

it('an approved claim makes the claimant the owner, ends the others, mails both users and says so', async () => {
  const [owner, user, other, later] = await Promise.all([1, 2, 3, 4].map(() => person(server)));
  if (!owner || !user || !other || !later) throw new Error('There are four.');
  const project = await listing(owner);
  const [mine, others] = [await claimed(user, project, 'mail'), await claimed(other, project, 'dns')];
  expect((await directory.read(project.id)).claimed_at).toBeNull();
  const from = new Date().toISOString();
  const approved = await approve(mine.id);
  const to = new Date().toISOString();
  expect(approved).toMatchObject(
    success({ state: 'approved', decided_at: TIME, owner: { id: user.id, email: user.email } }),
  );
  const { decided_at } = dataOf<Claim>(approved);
  const seen = await directory.read(project.id);
  expect(seen.owner_id).toBe(user.id);
  for (const at of [seen.claimed_at ?? '', decided_at ?? '']) expect([from, at, to].toSorted()).toEqual([from, at, to]);
  await directory.ok(user, 'PUT', `/api/projects/${project.id}`, { description: 'By its new owner.' });
  expect(await directory.as(owner, 'PUT', `/api/projects/${project.id}`, { name: 'No' })).toMatchObject(FORBIDDEN);
  const revisions = dataOf<Revision[]>(await directory.adminOk('GET', `/api/projects/${project.id}/revisions`));
  expect(revisions.find(({ cause }) => cause === 'claimed')).toMatchObject({
    actor: { id: directory.admin.id },
    changes: [{ field: 'owner_id', before: owner.id, after: user.id }],
  });

  await untilEventsDelivered(server, directory);
  // The subscriber writes an event itself.
  await untilEventsPublished(server, directory);
  expect(await stateOf(other, others.id)).toBe('rejected');
  expect(dataOf<Claim[]>(await directory.ok(other, 'GET', MINE))[0]?.reason).toContain('Another claim');
  expect(await kindsAbout(server, mine.id)).toEqual(['claimOpened', 'projectClaimed']);
  expect(await kindsAbout(server, others.id)).toEqual(['claimOpened', 'claimRejected']);
  const events = await server.events();
  expect(
    events.find(({ kind, data }) => kind === 'projectClaimed' && (data as { claim_id: string }).claim_id === mine.id),
  ).toMatchObject({
    actor_id: directory.admin.id,
    data: { project_id: project.id, owner_id: user.id, previous_owner_id: owner.id, method: 'mail' },
  });
  const subjects = async (who: Person) => (await mailsTo(server, who)).map(({ subject }) => subject);
  if (off !== 'email') {
    expect(await subjects(user)).toEqual([`${seen.name} is yours now`]);
    expect(await subjects(owner)).toContain(`${seen.name} has a new owner`);
  }
  expect(await subjects(other)).toEqual([]);
  // A claim against the new owner is another one.
  const again = await claimed(later, project, 'mail');
  expect(await approve(again.id)).toMatchObject(success({ state: 'approved' }));
});

it('only proven claims and those by the method manual are approved, and none twice', async () => {
  const [user, project] = [await person(server), await listing()];
  const { id } = await claimed(user, project, 'dns');
  expect(await approve(id)).toMatchObject(INVALID_TRANSITION);
  await withdraw(user, project, id);
  const manual = await claimed(user, project, 'manual');
  expect(await approve(manual.id)).toMatchObject(success({ state: 'approved' }));
  for (const decision of [approve, reject]) expect(await decision(manual.id)).toMatchObject(INVALID_TRANSITION);
  expect(await withdraw(user, project, manual.id)).toMatchObject(INVALID_TRANSITION);
});

it('a rejected claim tells its user why, and the listing keeps its owner', async () => {
  const [owner, user] = [await person(server), await person(server)];
  const project = await listing(owner);
  const { id } = await claimed(user, project, 'mail');
  expect(await reject(id, { reason: 'Call us.' })).toMatchObject(success({ state: 'rejected', reason: 'Call us.' }));
  const [seen] = dataOf<Claim[]>(await directory.ok(user, 'GET', MINE));
  expect(seen).toMatchObject({ id, state: 'rejected', reason: 'Call us.', decided_at: TIME });
  expect((await directory.read(project.id)).owner_id).toBe(owner.id);
  const next = await claimed(user, project, 'mail');
  expect(await reject(next.id)).toMatchObject(success({ state: 'rejected', reason: null }));
});

it("a listing that is not public, has moved, or is the claimant's own is not handed over", async () => {
  const [user, project] = [await person(server), await listing()];
  const { id } = await claimed(user, project, 'mail');
  const path = `/api/admin/projects/${project.id}`;
  const { url } = await directory.read(project.id);
  await directory.adminOk('PUT', path, { url: 'https://elsewhere.example.net/' });
  expect(await approve(id)).toMatchObject(NOT_CLAIMABLE);
  await directory.adminOk('PUT', path, { url, status: 'rejected' });
  expect(await approve(id)).toMatchObject(INVALID_TRANSITION);
  await directory.adminOk('PUT', path, { status: 'live', owner_id: user.id });
  expect(await approve(id)).toMatchObject(INVALID_TRANSITION);
});

longTest('a proven claim is applied at once when the owner is staff, a service user or erased', async () => {
  const moderator = await person(server);
  await directory.get('/api/user/profile', moderator);
  await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
  const program = asPerson(await createKey(server, directory.admin, ['projects:write']));
  const erased = await person(server);
  // Without the feature, the role of moderators has no effect.
  const owners = [directory.admin, program, erased, ...(off === 'moderators' ? [] : [moderator])];
  const projects = await Promise.all(owners.map((owner) => listing(owner)));
  await directory.ok(erased, 'DELETE', '/api/user?projects=keep');
  for (const project of projects) {
    const user = await person(server);
    const before = await directory.read(project.id);
    expect(await claimed(user, project, 'mail')).toMatchObject({ state: 'approved', decided_at: TIME });
    expect(await directory.read(project.id)).toMatchObject({ owner_id: user.id, claimed_at: TIME });
    const revisions = dataOf<Revision[]>(await directory.ok(user, 'GET', `/api/projects/${project.id}/revisions`));
    expect(revisions[0]).toMatchObject({ cause: 'claimed', changes: [{ before: before.owner_id, after: user.id }] });
  }
  // Without a proof an administrator decides.
  expect(await claimed(await person(server), await listing(directory.admin), 'manual')).toMatchObject({
    state: 'open',
  });
  const banned = await person(server, { admin: true });
  const project = await listing(banned);
  await ban(banned);
  expect(await claimed(await person(server), project, 'mail')).toMatchObject({ state: 'proven' });
});

longTest('of two approvals at once one wins', async () => {
  const [one, other, project] = [await person(server), await person(server), await listing()];
  const claims = [await claimed(one, project, 'mail'), await claimed(other, project, 'mail')];
  for (const ids of [claims.map(({ id }) => id)]) {
    const responses = await Promise.all(ids.map(approve));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const winner = responses.findIndex(({ status }) => status === 200);
    expect((await directory.read(project.id)).owner_id).toBe([one.id, other.id][winner]);
    expect(responses[1 - winner]).toMatchObject(INVALID_TRANSITION);
  }
  const [user, same] = [await person(server), await listing()];
  const { id } = await claimed(user, same, 'mail');
  const twice = await Promise.all([approve(id), approve(id)]);
  expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  const events = await kindsAbout(server, id);
  expect(events.filter((kind) => kind === 'projectClaimed').length).toBeLessThanOrEqual(1);
});

longTest('of an approval and a withdrawal at once one wins, and the owner follows', async () => {
  for (let round = 0; round < 5; round += 1) {
    const [user, owner] = [await person(server), await person(server)];
    const project = await listing(owner);
    const { id } = await claimed(user, project, 'mail');
    const [approved, withdrawn] = await Promise.all([approve(id), withdraw(user, project, id)]);
    expect([approved.status, withdrawn.status].toSorted()).toEqual([200, 409]);
    expect((await directory.read(project.id)).owner_id).toBe(approved.status === 200 ? user.id : owner.id);
    expect(await stateOf(user, id)).toBe(approved.status === 200 ? 'approved' : 'withdrawn');
  }
});

longTest(
  'claims expire after 14 days, leave the open ones and are listed by their states with exact totals',
  async () => {
    const total = async (state: ClaimState) => metaOf(await directory.adminOk('GET', `${ADMIN}?state=${state}`)).total;
    const states = ['open', 'proven', 'approved', 'rejected', 'expired', 'withdrawn'] as const;
    const totals = async () => await Promise.all(states.map(total));
    const summary = async () => dataOf<Summary>(await directory.adminOk('GET', '/api/admin/summary')).claims_open ?? 0;
    const [before, openBefore] = [await totals(), await summary()];
    const user = await person(server);
    const projects = await Promise.all(Array.from({ length: 5 }, () => listing()));
    const methods = ['manual', 'dns', 'mail', 'mail', 'manual'] as const;
    const ids: string[] = [];
    for (const [index, project] of projects.entries()) ids.push((await claimed(user, project, methods[index])).id);
    const [, dns, mail, proven, manual] = ids as [string, string, string, string, string];
    expect(await summary()).toBe(openBefore + 5);
    await age(dns, 14 * DAY_MS);
    await age(mail, 14 * DAY_MS + 1000);
    await age(manual, 14 * DAY_MS - 60_000);
    await reject(proven);
    const added = [2, 0, 0, 1, 2, 0];
    expect(await totals()).toEqual(before.map((count, index) => count + (added[index] ?? 0)));
    expect(await summary()).toBe(openBefore + 2);
    expect(await stateOf(user, dns)).toBe('expired');
    for (const decision of [approve, reject]) expect(await decision(mail)).toMatchObject(INVALID_TRANSITION);
    expect(await withdraw(user, projects[1] as Submitted, dns)).toMatchObject(INVALID_TRANSITION);
    // An expired claim makes room for another one of the listing.
    await claimed(user, projects[1] as Submitted, 'dns');

    const expired = `${ADMIN}?state=expired&limit=1`;
    const pages = [await directory.adminOk('GET', expired), await directory.adminOk('GET', `${expired}&page=2`)];
    expect(pages.map(idsOf)).toEqual([[dns], [mail]]);
    expect(metaOf(pages[0] as (typeof pages)[0])).toMatchObject({ total: (before[4] ?? 0) + 2, hasMore: true });
    const open = await directory.adminOk('GET', `${ADMIN}?state=open&limit=100`);
    expect(idsOf(open)).toHaveLength(metaOf(open).total);
    expect(idsOf(open)).not.toContain(dns);
    const past = await directory.adminOk('GET', `${ADMIN}?state=open&limit=1&page=${metaOf(open).total + 1}`);
    expect(idsOf(past)).toEqual([]);
    const all = await directory.adminOk('GET', `${ADMIN}?limit=2`);
    expect(metaOf(all).total).toBe((await totals()).reduce((sum, count) => sum + count, 0));
    expect(await directory.asAdmin('GET', `${ADMIN}?state=lost`)).toMatchObject(invalidAt('state'));
  },
);

longTest(
  'an export contains the claims, and an erasure deletes them and the id of the user in those of others',
  async () => {
    const [user, owner, project] = [await person(server), await person(server), await listing()];
    const { id } = await claimed(user, project, 'dns');
    const handedOver = await listing(owner);
    const { id: second } = await claimed(user, handedOver, 'mail');
    await approve(second);
    const { claims } = dataOf<{ claims: { id: string }[] }>(await directory.ok(user, 'GET', '/api/user/export'));
    expect(claims.map((one) => one.id).toSorted()).toEqual([id, second].toSorted());
    expect(claims[0]).toMatchObject({ project_id: project.id, user_id: user.id, method: 'dns', state: 'open' });
    await untilEventsDelivered(server, directory);
    await directory.ok(user, 'DELETE', '/api/user?projects=delete');
    await directory.ok(owner, 'DELETE', '/api/user?projects=delete');
    await server.until(async () => {
      const left = (await scanTable(server)).filter(({ type }) => type !== 'user');
      const traces = left.filter((item) => [user.id, owner.id].some((one) => JSON.stringify(item).includes(one)));
      return expect(traces.map(({ pk, sk }) => `${String(pk)} ${String(sk)}`)).toEqual([]);
    });
    expect(await approve(id)).toMatchObject(NOT_FOUND);
  },
);

longTest('the claims of a permanently deleted listing go with it', async () => {
  const [user, project] = [await person(server), await listing()];
  const { id } = await claimed(user, project, 'mail');
  await directory.adminOk('DELETE', `/api/admin/projects/${project.id}`);
  expect(await approve(id)).toMatchObject(NOT_FOUND);
  await untilEventsDelivered(server, directory);
  expect(idsOf(await directory.ok(user, 'GET', MINE))).toEqual([]);
  expect((await scanTable(server)).filter((item) => JSON.stringify(item).includes(id)).map(({ type }) => type)).toEqual(
    expect.not.arrayContaining(['claim', 'claimId']),
  );
});
