import { expect, it, vi } from 'vitest';
import { type Directory, type Person, person, UNAUTHORIZED } from '#test/support/fixtures.ts';
import { scanTable } from '#test/support/scan-table.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** Interrupts erasures after a number of deletions, as if the process had died. */
const interruption = vi.hoisted(() => {
  const state = { deletionsLeft: Number.POSITIVE_INFINITY, count: 0 };
  const interruptible =
    <Args extends readonly unknown[], Result>(deletion: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (state.deletionsLeft <= 0) {
        state.count += 1;
        throw new Error('interrupted');
      }
      state.deletionsLeft -= 1;
      return await deletion(...args);
    };
  return { state, interruptible };
});

vi.mock(import('#data/erasure.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return {
    ...original,
    eraseVote: interruption.interruptible(original.eraseVote),
    eraseRating: interruption.interruptible(original.eraseRating),
  };
});
vi.mock(import('#data/projects.ts'), async (importOriginal) => {
  const original = await importOriginal();
  return { ...original, deleteProject: interruption.interruptible(original.deleteProject) };
});

let server: TestServer;
let directory: Directory;
let admin: Person;

withOwnServer((opened) => {
  ({ server, directory } = opened);
  admin = directory.admin;
});

const vote = async (user: Person, id: string) =>
  expect(await directory.as(user, 'POST', `/api/projects/${id}/upvote`)).toMatchObject({ status: 200 });
const rate = async (user: Person, id: string, rating: number) =>
  expect(await directory.as(user, 'POST', `/api/projects/${id}/ratings`, { rating })).toMatchObject({ status: 200 });
const counts = async (id: string) => {
  const { upvote_count, ratings_count, average_rating, comments_count } = await directory.read(id, admin);
  return { upvote_count, ratings_count, average_rating, comments_count };
};

/** The counters of a project and the numbers of items that they count. */
const stateOf = async (projectId: string) => {
  const items = (await scanTable(server)).filter(({ pk }) => String(pk).includes(projectId));
  const of = (type: string) => items.filter((item) => item.type === type);
  const counted = of('counts')[0] ?? {};
  return {
    counted: {
      votes: Number(counted.upvote_count ?? 0),
      ratings: Number(counted.ratings_count ?? 0),
      sum: Number(counted.ratings_sum ?? 0),
      comments: Number(counted.comments_count ?? 0),
    },
    stored: {
      votes: of('vote').length,
      ratings: of('rating').length,
      sum: of('rating').reduce((sum, { rating }) => sum + Number(rating), 0),
      comments: of('comment').length,
    },
  };
};

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
  // The request is interrupted too: it erases only the record.
  const { state } = interruption;
  state.deletionsLeft = 0;
  state.count = 0;
  expect(await directory.as(user, 'DELETE', '/api/user?projects=delete')).toMatchObject({ status: 200 });
  const inRequest = state.count;
  expect(inRequest).toBeGreaterThan(0);
  await server.until(() => Promise.resolve(state.count > inRequest));
  expect(await directory.get('/api/user/profile', user)).toMatchObject(UNAUTHORIZED);

  // Each run of the task completes a few more deletions.
  for (let run = 1; run <= 3; run += 1) {
    const before = state.count;
    state.deletionsLeft = 5;
    await server.until(() => Promise.resolve(state.count > before));
    const exact = await Promise.all(projects.map(async ({ id }) => await stateOf(id)));
    for (const one of exact) expect(one.counted).toEqual(one.stored);
    expect(exact.some(({ stored }) => stored.votes === 2 || stored.ratings === 2)).toBe(true);
  }
  state.deletionsLeft = Number.POSITIVE_INFINITY;
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
