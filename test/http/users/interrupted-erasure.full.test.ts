import { expect, it } from 'vitest';
import { projectKey, ratingKey, voteKey } from '#data/keys.ts';
import { type Person, person, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { countersAndItems } from '#test/support/reaction-counts.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { interceptTable, textOfKey } from '#test/support/table-calls.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const { admin } = directory;

const vote = (user: Person, id: string) => directory.ok(user, 'POST', `/api/projects/${id}/upvote`);
const rate = (user: Person, id: string, rating: number) =>
  directory.ok(user, 'POST', `/api/projects/${id}/ratings`, { rating });
const counts = (id: string) => directory.read(id, admin);

it('an erasure is completed after repeated interruptions, without counting anything twice', async () => {
  const user = await person(server);
  const other = await person(server);
  const projects: { id: string }[] = [];
  for (let n = 0; n < 12; n += 1) projects.push(await directory.live(other));
  for (const { id } of projects) {
    await vote(user, id);
    await vote(other, id);
    await rate(user, id, 5);
    await rate(other, id, 1);
  }
  const own = await directory.live(user);
  await directory.ok(user, 'PUT', `/api/projects/${own.id}/bookmark`);
  // The request is interrupted too: it erases only the record.
  const deletions = new Set(
    [projectKey(own.id), ...projects.flatMap(({ id }) => [voteKey(id, user.id), ratingKey(id, user.id)])].map(
      textOfKey,
    ),
  );
  let deletionsLeft = 0;
  let interruptions = 0;
  interceptTable(async ({ written }, send) => {
    if (!written.some((key) => deletions.has(key))) return await send();
    if (deletionsLeft <= 0) {
      interruptions += 1;
      throw new Error('interrupted');
    }
    deletionsLeft -= 1;
    return await send();
  });
  await directory.ok(user, 'DELETE', '/api/user?projects=delete');
  const inRequest = interruptions;
  expect(inRequest).toBeGreaterThan(0);
  await server.until(() => Promise.resolve(interruptions > inRequest));
  expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);

  // Each run of the task completes a few more deletions.
  for (let run = 1; run <= 3; run += 1) {
    const before = interruptions;
    deletionsLeft = 5;
    await server.until(() => Promise.resolve(interruptions > before));
    const exact = await Promise.all(projects.map(async ({ id }) => await countersAndItems(server, id)));
    for (const one of exact) expect(one.counted).toEqual(one.stored);
    expect(exact.some(({ stored }) => stored.votes === 2 || stored.ratings === 2)).toBe(true);
  }
  deletionsLeft = Number.POSITIVE_INFINITY;
  await server.until(async () => {
    const all = await Promise.all(projects.map(({ id }) => counts(id)));
    return all.every(({ upvote_count, ratings_count }) => upvote_count === 1 && ratings_count === 1);
  });
  await server.until(async () => (await directory.get(`/api/projects/${own.id}`, admin)).status === 404);
  for (const { id } of projects) {
    expect(await counts(id)).toMatchObject({ upvote_count: 1, ratings_count: 1, average_rating: 1 });
  }
  expect((await scanTable(server)).filter((item) => item.user_id === user.id)).toEqual([]);
});
