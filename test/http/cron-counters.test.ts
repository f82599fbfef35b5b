import { describe, expect, it } from 'vitest';
import { categorySlugKey, countsKey, projectKey, userKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { removeItem, updateItem } from '#data/write.ts';
import { reconcileCounters } from '#domain/cron/reconcile-counters.ts';
import { recountProject } from '#domain/projects/recount.ts';
import { recountPorts } from '#ports/recount.ts';
import { type Directory, dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { ranJob } from '#test/support/jobs.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Counters that have drifted are found and mended, and nobody's vote is lost over it. */

let world: TestWorld;
let directory: Directory;
let people: Person[];

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  people = await Promise.all(Array.from({ length: 6 }, () => person(world)));
});

const react = async (id: string): Promise<void> => {
  const [first, second, third] = people as [Person, Person, Person];
  for (const who of [first, second, third]) await directory.as(who, 'PUT', `/api/projects/${id}/upvote`);
  await directory.as(first, 'POST', `/api/projects/${id}/ratings`, { rating: 5 });
  await directory.as(second, 'POST', `/api/projects/${id}/ratings`, { rating: 2 });
  await directory.as(first, 'POST', `/api/projects/${id}/comments`, { content: 'Good.' });
};

const seen = async (id: string) => {
  const { upvote_count, average_rating, ratings_count, comments_count } = await directory.read(id);
  return { upvote_count, average_rating, ratings_count, comments_count };
};
const REAL = { upvote_count: 3, average_rating: 3.5, ratings_count: 2, comments_count: 1 };

describe('the counters of projects', () => {
  it('that have drifted are mended, and told', async () => {
    const { id } = await directory.live(people[0] as Person);
    await react(id);
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ repaired: 0, drift: [] });
    await updateItem(countsKey(id), {
      set: { upvote_count: 40, ratings_sum: 1, ratings_count: 3, comments_count: 8, views_count: 9 },
    });
    expect(await seen(id)).not.toEqual(REAL);

    const told = await ranJob(world, 'reconcile-counters');
    expect(told).toMatchObject({ repaired: 1, failed: 0, unfinished: false });
    expect(told.drift).toEqual([
      { project_id: id, counter: 'upvote_count', was: 40, is: 3 },
      { project_id: id, counter: 'ratings_sum', was: 1, is: 7 },
      { project_id: id, counter: 'ratings_count', was: 3, is: 2 },
      { project_id: id, counter: 'comments_count', was: 8, is: 1 },
    ]);
    expect(await seen(id)).toEqual(REAL);
    // What is counted nowhere else stays, and lists follow.
    expect(await directory.read(id)).toMatchObject({ views_count: 9 });
    const list = await directory.get('/api/projects?limit=100');
    expect(dataOf<{ id: string }[]>(list).find((one) => one.id === id)).toMatchObject(REAL);
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ repaired: 0, drift: [] });
  });

  it('that are lost altogether are made anew, and lists hear of it', async () => {
    const { id } = await directory.live(people[0] as Person);
    await react(id);
    await removeItem(countsKey(id));
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ repaired: 1 });
    expect(await seen(id)).toEqual(REAL);
    await directory.as(people[3], 'PUT', `/api/projects/${id}/upvote`);
    const list = await directory.get('/api/projects?limit=100');
    expect(dataOf<{ id: string }[]>(list).find((one) => one.id === id)).toMatchObject({ upvote_count: 4 });
  });

  it('are mended while people vote, without losing a vote', async () => {
    const { id } = await directory.live(people[0] as Person);
    await updateItem(countsKey(id), { set: { upvote_count: 100 } });
    const voters = await Promise.all(Array.from({ length: 25 }, () => person(world)));
    await Promise.all([
      ...voters.map((voter) => directory.as(voter, 'PUT', `/api/projects/${id}/upvote`)),
      ranJob(world, 'reconcile-counters'),
      ranJob(world, 'reconcile-counters'),
    ]);
    await ranJob(world, 'reconcile-counters');
    expect((await directory.read(id)).upvote_count).toBe(25);
  });

  it('count a vote that comes between the counting and the writing', async () => {
    const { id } = await directory.live(people[0] as Person);
    await updateItem(countsKey(id), { set: { upvote_count: 7, version: 1, type: 'counts', project_id: id } });
    const voters = people.slice(0, 2);
    const ports = {
      ...recountPorts,
      countReactions: async (projectId: string) => {
        const counted = await recountPorts.countReactions(projectId);
        const voter = voters.pop();
        if (voter) await directory.as(voter, 'PUT', `/api/projects/${id}/upvote`);
        return counted;
      },
    };
    expect(await recountProject(ports, id, 0)).toEqual([{ project_id: id, counter: 'upvote_count', was: 9, is: 2 }]);
    expect((await directory.read(id)).upvote_count).toBe(2);
  });

  it('do not come back with a project that is purged meanwhile', async () => {
    const { id } = await directory.live(people[0] as Person);
    await updateItem(countsKey(id), { set: { upvote_count: 7 } });
    const ports = {
      ...recountPorts,
      countReactions: async (projectId: string) => {
        const counted = await recountPorts.countReactions(projectId);
        await directory.as(directory.admin, 'DELETE', `/api/admin/projects/${id}`);
        return counted;
      },
    };
    expect(await recountProject(ports, id, 0)).toEqual([]);
    expect(await findItem(countsKey(id))).toBeUndefined();
  });

  it('are gone through where the last run stopped', async () => {
    const bookmarks = new Map<string, string>();
    const counted: string[] = [];
    const ports = {
      ...recountPorts,
      findBookmark: async (job: string) => bookmarks.get(job),
      keepBookmark: async (job: string, after: string | null) => {
        if (after === null) bookmarks.delete(job);
        else bookmarks.set(job, after);
      },
      countReactions: async (id: string) => {
        counted.push(id);
        await new Promise((resolve) => setTimeout(resolve, 30));
        return await recountPorts.countReactions(id);
      },
    };
    await Promise.all(Array.from({ length: 20 }, () => directory.submit(people[0] as Person)));
    let runs = 0;
    for (let unfinished = true; unfinished; runs += 1) ({ unfinished } = await reconcileCounters(ports, 45));
    expect(runs).toBeGreaterThan(1);
    expect(new Set(counted).size).toBe(counted.length);
    expect(bookmarks.size).toBe(0);
  });
});

describe('the comment counts of users', () => {
  it('that have drifted are mended once the user is quiet', async () => {
    const [writer] = people as [Person];
    const path = `/api/admin/users?q=${encodeURIComponent(writer.email)}`;
    const count = async () =>
      dataOf<{ comment_count: number }[]>(await directory.get(path, directory.admin))[0]?.comment_count;
    const real = await count();
    const { feed_sk } = (await findItem(userKey(writer.id))) as { feed_sk: string };
    await updateItem(userKey(writer.id), { set: { comment_count: 77 } });
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ users_repaired: 0 });
    const longAgo = `2020-01-01T00:00:00.000Z${feed_sk.slice(24)}`;
    await updateItem(userKey(writer.id), { set: { feed_sk: longAgo } });
    const told = await ranJob(world, 'reconcile-counters');
    expect(told).toMatchObject({ users_repaired: 1 });
    expect(told.users).toBeGreaterThan(people.length);
    expect(await count()).toBe(real);
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ users_repaired: 0 });
  });
});

describe('category slugs', () => {
  it('that belong to no category are taken from projects', async () => {
    const kept = await directory.addCategory();
    const { id } = await directory.live(people[0] as Person, { categories: [kept.slug] });
    const ghost = unique('ghost');
    const { version } = (await findItem(projectKey(id))) as { version: number };
    const { feed_pk } = (await findItem(projectKey(id))) as { feed_pk: string };
    const at = new Date().toISOString();
    await updateItem(projectKey(id), {
      set: { categories: [ghost, kept.slug], version: version + 1, feed_pk, feed_sk: `${at}#ghost` },
    });
    const runs = await Promise.all([ranJob(world, 'reconcile-counters'), ranJob(world, 'reconcile-counters')]);
    expect(runs.some(({ slugs_settled }) => Number(slugs_settled) > 0)).toBe(true);
    expect((await directory.read(id)).categories).toEqual([kept.slug]);
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ slugs_settled: 0, failed: 0 });
  });

  it('that a category has given up are carried over and given free', async () => {
    const slug = unique('leaving');
    const category = await directory.addCategory({ slug });
    await updateItem(categorySlugKey(slug), { set: { state: 'leaving' } });
    const other = await directory.addCategory({ slug: unique('arrived') });
    // The category is called otherwise by now, and nothing but its claim is left.
    await updateItem(categorySlugKey(slug), { set: { category_id: other.id } });
    const { id } = await directory.live(people[0] as Person);
    const { feed_pk, version } = (await findItem(projectKey(id))) as { feed_pk: string; version: number };
    await updateItem(projectKey(id), {
      set: { categories: [slug], version: version + 1, feed_pk, feed_sk: `${new Date().toISOString()}#leaving` },
    });
    expect(await ranJob(world, 'reconcile-counters')).toMatchObject({ slugs_settled: 1, failed: 0 });
    expect((await directory.read(id)).categories).toEqual([other.slug]);
    expect(await findItem(categorySlugKey(slug))).toBeUndefined();
    expect(category.slug).toBe(slug);
  });
});
