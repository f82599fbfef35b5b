import { expect, it } from 'vitest';
import type { Claim } from '#contract/claims.ts';
import { findClaim } from '#data/claims.ts';
import { findUser } from '#data/users.ts';
import { rejectOvertakenClaims } from '#services/claims/apply.ts';
import { approveClaim } from '#services/claims/decide.ts';
import { openClaim } from '#services/claims/open.ts';
import { mustExist } from '#shared/errors.ts';
import { Random } from '#test/catalog/random.ts';
import { kindsAbout, untilEventsDelivered, untilEventsPublished } from '#test/support/events.ts';
import { dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { inDyingProcess } from '#test/support/mortal-process.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Claims whose process ends at one of its writes. */

const { server, directory } = await ownDirectory();

const ROUNDS = 12;

const recordOf = async ({ id }: Person) => mustExist(await findUser(id));

/** A user who has a record. */
const known = async (): Promise<Person> => {
  const user = await person(server);
  await directory.ok(user, 'GET', '/api/user/profile');
  return user;
};

const listing = async () => {
  const owner = await person(server);
  return { owner, ...(await directory.live(owner, { url: `https://${unique('shop')}.example.com/` })) };
};

const died = async (work: Promise<unknown>): Promise<boolean> =>
  await work.then(
    () => false,
    () => true,
  );

it('an approval that ends at any write hands the listing over completely or not at all, and can be repeated', async () => {
  const random = new Random(7);
  const admin = await recordOf(directory.admin);
  for (let round = 0; round < ROUNDS; round += 1) {
    const { id: project, owner } = await listing();
    const [user, other] = [await known(), await known()];
    const claims: Claim[] = [];
    for (const one of [user, other]) {
      const path = `/api/projects/${project}/claims`;
      claims.push(dataOf(await directory.ok(one, 'POST', path, { method: 'mail' }, 201)));
    }
    const [mine, others] = claims.map(({ id }) => id) as [string, string];
    const isDead = await died(inDyingProcess(random, 2, () => approveClaim(admin, mine)));
    const { owner_id, claimed_at } = await directory.read(project);
    const state = (await findClaim(mine))?.state;
    expect([owner_id, claimed_at !== null, state]).toEqual(
      owner_id === owner.id ? [owner.id, false, 'proven'] : [user.id, true, 'approved'],
    );
    if (!isDead) expect(state).toBe('approved');
    if (state === 'proven') await approveClaim(admin, mine);
    await untilEventsDelivered(server, directory);
    // The subscriber writes an event itself.
    await untilEventsPublished(server, directory);
    expect((await directory.read(project)).owner_id).toBe(user.id);
    expect((await findClaim(others))?.state).toBe('rejected');
    expect(await kindsAbout(server, mine)).toEqual(['claimOpened', 'projectClaimed']);
    expect(await kindsAbout(server, others)).toEqual(['claimOpened', 'claimRejected']);
  }
});

it('a claim that ends at any write is stored completely or not at all', async () => {
  const random = new Random(8);
  for (let round = 0; round < ROUNDS; round += 1) {
    const [{ id: project }, user] = [await listing(), await known()];
    const record = await recordOf(user);
    await died(inDyingProcess(random, 2, () => openClaim(record, project, { method: 'mail' })));
    const stored = dataOf<Claim[]>(await directory.ok(user, 'GET', '/api/me/claims'));
    const repeated = await directory.as(user, 'POST', `/api/projects/${project}/claims`, { method: 'mail' });
    expect(repeated.status).toBe(stored.length === 0 ? 201 : 409);
    for (const { id } of stored) expect((await findClaim(id))?.project_id).toBe(project);
  }
});

it('a claim of a listing of the staff that ends at any write is applied with its proof or not stored', async () => {
  const random = new Random(9);
  for (let round = 0; round < ROUNDS; round += 1) {
    const user = await known();
    const record = await recordOf(user);
    const { id } = await directory.live(directory.admin, { url: `https://${unique('shop')}.example.com/` });
    await died(inDyingProcess(random, 2, () => openClaim(record, id, { method: 'mail' })));
    const stored = dataOf<Claim[]>(await directory.ok(user, 'GET', '/api/me/claims'));
    const { owner_id } = await directory.read(id);
    expect([owner_id, stored.map(({ state }) => state)]).toEqual(
      owner_id === user.id ? [user.id, ['approved']] : [directory.admin.id, []],
    );
  }
});

it('the rejection of overtaken claims continues where it ended, and leaves later ones alone', async () => {
  const random = new Random(10);
  const { id: project } = await listing();
  const ids: string[] = [];
  const admin = await recordOf(directory.admin);
  for (let count = 0; count < 5; count += 1) {
    const path = `/api/projects/${project}/claims`;
    ids.push(dataOf<Claim>(await directory.ok(await known(), 'POST', path, { method: 'mail' }, 201)).id);
  }
  await approveClaim(admin, ids[0] ?? '');
  const later = await openClaim(await recordOf(await known()), project, { method: 'mail' });
  for (let run = 0; run < 4; run += 1) await died(inDyingProcess(random, 3, () => rejectOvertakenClaims(project)));
  await rejectOvertakenClaims(project);
  const states = await Promise.all([...ids, later.id].map(async (id) => (await findClaim(id))?.state));
  expect(states).toEqual(['approved', 'rejected', 'rejected', 'rejected', 'rejected', 'proven']);
  await untilEventsDelivered(server, directory);
  for (const id of ids.slice(1)) expect(await kindsAbout(server, id)).toEqual(['claimOpened', 'claimRejected']);
});
