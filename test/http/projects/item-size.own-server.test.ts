import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { dataOf, idsOf, type Person, person, unique } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** An item of the table has at most 400 KB, and holds a listing with its waiting edit. */

const { server, directory } = await ownDirectory({ env: { LIVE_EDITS: 'review' } });

const texts = ['story', 'history', 'menu'];
for (const key of texts)
  await directory.adminOk('POST', '/api/admin/fields', { key, type: 'long_text', label: key }, 201);

const address = (emoji: string, name: string): string => `https://${name}.example/${emoji.repeat(2000)}`;

/** All texts at their limits: 165 KB. */
const content = (emoji: string) => ({
  name: emoji.repeat(90),
  description: emoji.repeat(500),
  long_description: emoji.repeat(10_000),
  url: address(emoji, unique('url')),
  logo_url: address(emoji, 'logo'),
  video_url: address(emoji, 'video'),
  screenshots: Array.from({ length: 10 }, (_, at) => address(emoji, `s${at}`)),
  fields: Object.fromEntries(texts.map((key) => [key, emoji.repeat(1350)])),
});

const LIMIT = expect.stringContaining('at most 225 KB can wait') as unknown;
const TOO_LARGE = { status: 413, body: { code: 'PAYLOAD_TOO_LARGE', message: LIMIT } };

const projectOf = async (id: string, reader: Person): Promise<Project> =>
  dataOf(await directory.get(`/api/projects/${id}`, reader));

const revisionsOf = async (id: string): Promise<string[]> =>
  idsOf(await directory.get(`/api/projects/${id}/revisions`, directory.admin));

it('an edit that has no room beside its listing is 413, and nothing of it is stored', async () => {
  const owner = await person(server);
  const { id } = await directory.live(owner, content('\u{1F98A}'));
  const [before, revisions] = [await projectOf(id, owner), await revisionsOf(id)];
  expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, content('\u{1F43A}'))).toMatchObject(TOO_LARGE);
  expect(await projectOf(id, owner)).toEqual(before);
  expect(await revisionsOf(id)).toEqual(revisions);
});

it('a smaller edit of a large listing waits, and stays as it is when a larger one is refused', async () => {
  const owner = await person(server);
  const { id } = await directory.live(owner, content('\u{1F98A}'));
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: 'Short', fields: { story: 'Short' } });
  const [waiting, revisions] = [await projectOf(id, owner), await revisionsOf(id)];
  expect(waiting.pending_revision?.changes.map(({ field }) => field)).toEqual(['name', 'fields.story']);
  expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, content('\u{1F43A}'))).toMatchObject(TOO_LARGE);
  expect(await projectOf(id, owner)).toEqual(waiting);
  expect(await revisionsOf(id)).toEqual(revisions);
  await directory.adminOk('POST', `/api/admin/projects/${id}/revisions/${waiting.pending_revision?.id}/approve`);
  expect(await projectOf(id, owner)).toMatchObject({
    name: 'Short',
    fields: { story: 'Short' },
    pending_revision: null,
  });
});

it('whatever administrators publish has room beside the largest edit that waits', async () => {
  const owner = await person(server);
  const { screenshots, ...before } = content('\u{1F98A}');
  const { screenshots: _, ...after } = content('\u{1F43A}');
  const { id } = await directory.live(owner, { ...before, screenshots: screenshots.slice(0, 2) });
  let count = screenshots.length;
  const edit = async () => {
    const addresses = screenshots.slice(0, count).map((one) => one.replaceAll('\u{1F98A}', '\u{1F43A}'));
    return await directory.as(owner, 'PUT', `/api/projects/${id}`, { ...after, screenshots: addresses });
  };
  while ((await edit()).status === 413 && count > 0) count -= 1;
  const isWaiting = { pending_revision: { changes: expect.anything() as unknown } };
  expect(await projectOf(id, owner)).toMatchObject(isWaiting);
  const { id: category, slug: present } = await directory.addCategory();
  const published = { ...content('\u{1F43B}'), categories: [present] };
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, published);
  const slug = unique('a-much-longer-slug-of-the-category');
  await directory.adminOk('PUT', `/api/admin/categories/${category}`, { slug });
  await server.until(async () => expect((await projectOf(id, owner)).categories).toEqual([slug]));
  expect(await projectOf(id, owner)).toMatchObject({ long_description: published.long_description, ...isWaiting });
});
