import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { categorySlugKey, checkpointKey, countsKey, projectKey, projectPrefix, userKey } from '#data/keys.ts';
import { findItem } from '#data/read.ts';
import { deleteItem, updateItem } from '#data/write.ts';
import { reconcileCounters, recountProject, USERS_JOB } from '#services/jobs/reconcile-counters.ts';
import { runAsHandler } from '#test/support/aws-calls.ts';
import { dataOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { runJob } from '#test/support/jobs.ts';
import { longTest } from '#test/support/long-test.ts';
import { interceptTable, textOfKey } from '#test/support/table-calls.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await ownDirectory();
const people = await Promise.all(Array.from({ length: 6 }, () => person(server)));

/** Runs `action` after the reactions to a project are counted and before its counters are replaced. */
const afterCounting = (projectId: string, action: () => Promise<unknown>): void => {
  let isOwn = false;
  interceptTable(async ({ written }, send) => {
    if (isOwn || !written.includes(textOfKey(countsKey(projectId)))) return await send();
    isOwn = true;
    await action();
    isOwn = false;
    return await send();
  });
};

const vote = (who: Person | undefined, id: string) => directory.ok(who, 'PUT', `/api/projects/${id}/upvote`);

/** A live project with three votes, two ratings and a comment. */
const projectWithReactions = async (): Promise<string> => {
  const [first, second, third] = people as [Person, Person, Person];
  const { id } = await directory.live(first);
  await directory.react(first, id, 5);
  for (const who of [second, third]) await vote(who, id);
  await directory.ok(second, 'POST', `/api/projects/${id}/ratings`, { rating: 2 });
  return id;
};

const shownCounters = async (id: string) => {
  const { upvote_count, average_rating, ratings_count, comments_count } = await directory.read(id);
  return { upvote_count, average_rating, ratings_count, comments_count };
};
const ACTUAL = { upvote_count: 3, average_rating: 3.5, ratings_count: 2, comments_count: 1 };

describe('the counters of projects', () => {
  it('are corrected and reported when they have drifted', async () => {
    const id = await projectWithReactions();
    expect(await runJob(server, 'reconcile-counters')).toMatchObject({ repaired: 0, drift: [] });
    await updateItem(countsKey(id), {
      set: { upvote_count: 40, ratings_sum: 1, ratings_count: 3, comments_count: 8, views_count: 9 },
    });
    expect(await shownCounters(id)).not.toEqual(ACTUAL);

    const run = await runJob(server, 'reconcile-counters');
    expect(run).toMatchObject({ repaired: 1, failed: 0, unfinished: false });
    expect(run.drift).toEqual([
      { project_id: id, counter: 'upvote_count', was: 40, is: 3 },
      { project_id: id, counter: 'ratings_sum', was: 1, is: 7 },
      { project_id: id, counter: 'ratings_count', was: 3, is: 2 },
      { project_id: id, counter: 'comments_count', was: 8, is: 1 },
    ]);
    expect(await shownCounters(id)).toEqual(ACTUAL);
    // Views cannot be recounted and stay; lists show the corrected counters.
    expect(await directory.read(id)).toMatchObject({ views_count: 9 });
    const list = await directory.get('/api/projects?limit=100');
    expect(dataOf<{ id: string }[]>(list).find((one) => one.id === id)).toMatchObject(ACTUAL);
    expect(await runJob(server, 'reconcile-counters')).toMatchObject({ repaired: 0, drift: [] });
  });

  it('are restored when their item is missing, in lists as well', async () => {
    const id = await projectWithReactions();
    await deleteItem(countsKey(id));
    expect(await runJob(server, 'reconcile-counters')).toMatchObject({ repaired: 1 });
    expect(await shownCounters(id)).toEqual(ACTUAL);
    await vote(people[3], id);
    const list = await directory.get('/api/projects?limit=100');
    expect(dataOf<{ id: string }[]>(list).find((one) => one.id === id)).toMatchObject({ upvote_count: 4 });
  });

  longTest('are corrected during concurrent votes without losing a vote', async () => {
    const { id } = await directory.live(people[0] as Person);
    await updateItem(countsKey(id), { set: { upvote_count: 100 } });
    const voters = await Promise.all(Array.from({ length: 25 }, () => person(server)));
    await Promise.all([
      ...voters.map((voter) => vote(voter, id)),
      runJob(server, 'reconcile-counters'),
      runJob(server, 'reconcile-counters'),
    ]);
    await runJob(server, 'reconcile-counters');
    expect((await directory.read(id)).upvote_count).toBe(25);
  });

  it('include a vote that is cast between counting and writing', async () => {
    const { id } = await directory.live(people[0] as Person);
    await updateItem(countsKey(id), { set: { upvote_count: 7, version: 1, type: 'counts', project_id: id } });
    const voters = people.slice(0, 2);
    afterCounting(id, async () => {
      const voter = voters.pop();
      if (voter) await vote(voter, id);
    });
    expect(await recountProject(id, 0)).toEqual([{ project_id: id, counter: 'upvote_count', was: 9, is: 2 }]);
    expect((await directory.read(id)).upvote_count).toBe(2);
  });

  it('are not written for a project that is purged concurrently', async () => {
    const { id } = await directory.live(people[0] as Person);
    await updateItem(countsKey(id), { set: { upvote_count: 7 } });
    afterCounting(id, () => directory.adminOk('DELETE', `/api/admin/projects/${id}`));
    expect(await recountProject(id, 0)).toEqual([]);
    expect(await findItem(countsKey(id))).not.toHaveProperty('upvote_count');
  });

  longTest('are processed by consecutive runs, each from where the last one stopped', async () => {
    const counted: string[] = [];
    interceptTable(async ({ input, partition }, send) => {
      if (partition && JSON.stringify(input).includes(`"${projectPrefix.votes}"`)) {
        counted.push(partition);
        await wait(600);
      }
      return await send();
    });
    await Promise.all(Array.from({ length: 20 }, () => directory.submit(people[0] as Person)));
    let runs = 0;
    for (let unfinished = true; unfinished; runs += 1)
      ({ unfinished } = await runAsHandler('cron.reconcileCounters', () => reconcileCounters(1000)));
    expect(runs).toBeGreaterThan(1);
    expect(new Set(counted).size).toBe(counted.length);
    for (const job of ['reconcile-counters', USERS_JOB]) expect(await findItem(checkpointKey(job))).toBeUndefined();
  });
});

it('the comment counts of users are corrected when they have drifted and the user has not changed lately', async () => {
  const [writer] = people as [Person];
  // A user exists from the first request on.
  await Promise.all(people.map((one) => directory.get('/api/user/profile', one)));
  const path = `/api/admin/users?q=${encodeURIComponent(writer.email)}`;
  const count = async () =>
    dataOf<{ comment_count: number }[]>(await directory.get(path, directory.admin))[0]?.comment_count;
  const actual = await count();
  const { feed_sk } = (await findItem(userKey(writer.id))) as { feed_sk: string };
  await updateItem(userKey(writer.id), { set: { comment_count: 77 } });
  expect(await runJob(server, 'reconcile-counters')).toMatchObject({ users_repaired: 0 });
  // Long ago, and by a clock that was years ahead.
  for (const year of [2020, 2120]) {
    const changed = `${year}-01-01T00:00:00.000Z${feed_sk.slice(24)}`;
    await updateItem(userKey(writer.id), { set: { comment_count: 77, feed_sk: changed } });
    const run = await runJob(server, 'reconcile-counters');
    expect(run).toMatchObject({ users_repaired: 1 });
    expect(run.users).toBeGreaterThan(people.length);
    expect(await count()).toBe(actual);
  }
  expect(await runJob(server, 'reconcile-counters')).toMatchObject({ users_repaired: 0 });
});

describe('category slugs', () => {
  /** Writes categories that no request would accept. */
  const setCategories = async (id: string, categories: readonly string[]): Promise<void> => {
    const { feed_pk, version } = (await findItem(projectKey(id))) as { feed_pk: string; version: number };
    const feed_sk = `${new Date().toISOString()}#${id}`;
    await updateItem(projectKey(id), { set: { categories, version: version + 1, feed_pk, feed_sk } });
  };

  it('are removed from projects when they belong to no category', async () => {
    const kept = await directory.addCategory();
    const { id } = await directory.live(people[0] as Person, { categories: [kept.slug] });
    const orphan = unique('orphan');
    await setCategories(id, [orphan, kept.slug]);
    const runs = await Promise.all([runJob(server, 'reconcile-counters'), runJob(server, 'reconcile-counters')]);
    expect(runs.some(({ slugs_propagated }) => Number(slugs_propagated) > 0)).toBe(true);
    expect((await directory.read(id)).categories).toEqual([kept.slug]);
    expect(await runJob(server, 'reconcile-counters')).toMatchObject({ slugs_propagated: 0, failed: 0 });
  });

  it('are replaced on projects and freed when their category was renamed', async () => {
    const slug = unique('leaving');
    await directory.addCategory({ slug });
    await updateItem(categorySlugKey(slug), { set: { state: 'leaving' } });
    const other = await directory.addCategory({ slug: unique('arrived') });
    // The claim of the old slug names a category that has another slug.
    await updateItem(categorySlugKey(slug), { set: { category_id: other.id } });
    const { id } = await directory.live(people[0] as Person);
    await setCategories(id, [slug]);
    expect(await runJob(server, 'reconcile-counters')).toMatchObject({ slugs_propagated: 1, failed: 0 });
    expect((await directory.read(id)).categories).toEqual([other.slug]);
    expect(await findItem(categorySlugKey(slug))).toBeUndefined();
  });
});
