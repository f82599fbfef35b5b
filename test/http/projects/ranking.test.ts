import { expect, it } from 'vitest';
import { type Project, type RankingExplanation, relevanceCriteria } from '#contract/projects.ts';
import { dataOf, idsOf, invalidAt, person } from '#test/support/fixtures.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const users = await Promise.all(Array.from({ length: 3 }, () => person(server)));
const { slug } = await directory.addCategory();
const word = 'quintessence';

const listing = (fields: Readonly<Record<string, unknown>>) =>
  directory.live(users[0] as (typeof users)[number], { categories: [slug], ...fields });
const inName = await listing({ name: `The ${word}` });
const inText = await listing({ description: `Has a ${word}.` });
await directory.ok(users[0], 'PUT', `/api/projects/${inText.id}/upvote`);
for (const [position, user] of users.entries())
  await directory.ok(user, 'POST', `/api/projects/${inName.id}/ratings`, { rating: 3 + position });

const staffList = async (query: string) => {
  const response = await directory.adminOk('GET', `/api/admin/projects?category=${slug}&${query}`);
  const { meta } = response.body as { meta: { ranking?: Record<string, RankingExplanation> } };
  return { ids: idsOf(response), ranking: meta.ranking };
};

it('weighted_rating is a member of projects and counts five ratings of three besides the given ones', async () => {
  const list = dataOf<Project[]>(await directory.get(`/api/projects?category=${slug}&sort=weighted_rating`));
  expect(list.map(({ id, weighted_rating, average_rating }) => [id, weighted_rating, average_rating])).toEqual([
    [inName.id, 3.38, 4],
    [inText.id, 3, 0],
  ]);
  expect((await directory.read(inName.id)).weighted_rating).toBe(3.38);
});

it('explain shows the parts and the unrounded score of computed orders', async () => {
  const weighted = await staffList('sort=weighted_rating&explain=true');
  expect(weighted.ids).toEqual([inName.id, inText.id]);
  expect(weighted.ranking).toEqual({
    [inName.id]: { ratings_sum: 12, ratings: 3, score: 3.375 },
    [inText.id]: { ratings_sum: 0, ratings: 0, score: 3 },
  });
  const trending = await staffList('sort=trending&explain=true');
  const { published_at } = await directory.read(inName.id);
  const hours = Date.parse(published_at ?? '') / 3_600_000;
  expect(trending.ranking?.[inName.id]).toEqual({
    ...{ upvotes: 0, comments: 0, ratings: 3, weighted_sum: 6, hours },
    score: Math.log10(6) + hours / 12.5,
  });
  expect(trending.ranking?.[inText.id]).toMatchObject({ upvotes: 1, weighted_sum: 1 });
});

it('explain lists the criteria of relevance in the order in which they decide', async () => {
  const { ids, ranking } = await staffList(`q=the+${word}&match=words&sort=relevance&explain=true`);
  expect(ids).toEqual([inName.id]);
  const criteria: Partial<Record<string, number>> = {
    words: 2,
    name_equals: 1,
    words_in_name: 2,
    whole_words_in_name: 2,
    pairs: 1,
  };
  const expected = relevanceCriteria.map((name) => ({ name, value: criteria[name] ?? 0 }));
  expect(ranking).toEqual({ [inName.id]: { criteria: expected } });
  const typed = await staffList(`q=${word.slice(0, -1)}x&match=fuzzy&sort=relevance&explain=true`);
  const valueAt = (id: string, name: string) => {
    const explanation = typed.ranking?.[id];
    return explanation && 'criteria' in explanation
      ? explanation.criteria.find((one) => one.name === name)?.value
      : undefined;
  };
  const seen = ['typos', 'words_in_name', 'words_in_description', 'upvotes'];
  expect(seen.map((name) => valueAt(inName.id, name))).toEqual([1, 1, 0, 0]);
  expect(seen.map((name) => valueAt(inText.id, name))).toEqual([1, 0, 1, 1]);
});

it('explain adds nothing to other orders, when it is false, or to the public list', async () => {
  for (const query of [
    'sort=upvotes&explain=true',
    'sort=relevance&explain=true',
    'sort=trending&explain=false',
    'sort=trending',
  ])
    expect([query, (await staffList(query)).ranking]).toEqual([query, undefined]);
  const publicList = await directory.get(`/api/projects?category=${slug}&sort=trending&explain=true`);
  expect(publicList.body).not.toHaveProperty('meta.ranking');
  expect(await directory.asAdmin('GET', '/api/admin/projects?explain=yes')).toMatchObject(invalidAt('explain'));
});
