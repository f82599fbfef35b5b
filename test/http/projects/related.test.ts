import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { dataOf, invalidAt, NOT_FOUND, person, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

/** Related listings. Every test has tags and categories of its own. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);

const related = async (reference: string, query = '', caller = undefined as typeof owner | undefined) =>
  dataOf<Project[]>(await directory.ok(caller, 'GET', `/api/projects/${reference}/related${query}`)).map(
    ({ id }) => id,
  );

const live = async (tags: readonly string[], categories: readonly string[]) =>
  (await directory.live(owner, { tags, categories })).id;

longTest(
  'related listings share a tag or a category: most tags first, then categories, upvotes, and the greatest id',
  async () => {
    const tags = [unique('tag'), unique('tag'), unique('tag')].map((tag) => tag.toLowerCase());
    const [one, two, other] = await Promise.all([
      directory.addCategory(),
      directory.addCategory(),
      directory.addCategory(),
    ]);
    const subject = await live(tags, [one.slug, two.slug]);
    const oneCategory = await live([], [one.slug]);
    const later = await live([], [two.slug]);
    const twoCategories = await live([], [one.slug, two.slug]);
    const oneTag = await live(tags.slice(0, 1), [other.slug]);
    const twoTags = await live(tags.slice(1), [other.slug]);
    const liked = await live([], [one.slug, other.slug]);
    await live([unique('tag')], [other.slug]);
    const pending = await directory.submit(owner, { tags, categories: [one.slug] });
    const deleted = await directory.live(owner, { tags, categories: [one.slug] });
    await directory.ok(owner, 'DELETE', `/api/projects/${deleted.id}`);
    await directory.ok(await person(server), 'POST', `/api/projects/${liked}/upvote`);

    const expected = [twoTags, oneTag, twoCategories, liked, later, oneCategory];
    await server.until(async () => expect(await related(subject)).toEqual(expected));
    expect(await related(subject, '?limit=2')).toEqual(expected.slice(0, 2));
    const { slug } = await directory.read(subject);
    expect(await related(slug)).toEqual(expected);
    const ofPending = [subject, twoTags, oneTag, liked, twoCategories, oneCategory];
    expect(await related(pending.id, '', owner)).toEqual(ofPending);
  },
);

longTest('a listing without relatives has none, and six are listed when nothing else is asked for', async () => {
  const { slug } = await directory.addCategory();
  const subject = await live([], [slug]);
  expect(await related(subject)).toEqual([]);
  await Promise.all(Array.from({ length: 8 }, () => live([], [slug])));
  await server.until(async () => expect(await related(subject, '?limit=20')).toHaveLength(8));
  expect(await related(subject)).toHaveLength(6);
});

it('the relatives of a listing are as visible as the listing', async () => {
  const { id } = await directory.submit(owner);
  const path = `/api/projects/${id}/related`;
  expect(await directory.get(path)).toMatchObject(NOT_FOUND);
  expect(await directory.get(path, await person(server))).toMatchObject(NOT_FOUND);
  for (const caller of [owner, directory.admin])
    expect(await directory.get(path, caller)).toMatchObject({ status: 200 });
});

it.each(['0', '21', '1.5', 'many'])('a limit of %s is rejected', async (limit) => {
  const { id } = await directory.live(owner);
  expect(await directory.get(`/api/projects/${id}/related?limit=${limit}`)).toMatchObject(invalidAt('limit'));
});
