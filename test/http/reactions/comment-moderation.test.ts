import { expect, it } from 'vitest';
import type { AuditEntry } from '#contract/audit.ts';
import type { AdminComment, Comment } from '#contract/comments.ts';
import { dataOf, invalidAt, NOT_FOUND, type Person, person, success } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { directory } = await sharedDirectory();

const ALL = '/api/admin/comments';

const comment = async (author: Person, project: string, content = 'A comment.'): Promise<Comment> =>
  dataOf(await directory.ok(author, 'POST', `/api/projects/${project}/comments`, { content }, 201));

const listed = async (query: string): Promise<AdminComment[]> =>
  dataOf(await directory.get(`${ALL}?${query}`, directory.admin));
const hide = (id: string, is_hidden = true) => directory.asAdmin('PUT', `${ALL}/${id}`, { is_hidden });
const shown = async (project: string) => directory.get(`/api/projects/${project}/comments`);
const countsOf = async (project: string, author: Person) => {
  const { comments_count } = await directory.read(project);
  const user = await directory.get(`/api/admin/users/${author.id}`, directory.admin);
  return { ofProject: comments_count, ofUser: dataOf<{ comment_count: number }>(user).comment_count };
};

longTest('comments are listed newest first, of all projects, of one and by one user', async () => {
  const [first, second] = [await person(directory.server), await person(directory.server)];
  const [one, other] = [await directory.live(first), await directory.live(second)];
  const a = await comment(first, one.id);
  const b = await comment(second, one.id);
  const c = await comment(first, other.id);
  await hide(b.id);
  const ids = async (query: string) => (await listed(query)).map(({ id }) => id);
  expect(await ids(`project=${one.slug}`)).toEqual([b.id, a.id]);
  expect(await ids(`user=${first.id}`)).toEqual([c.id, a.id]);
  expect(await ids(`user=${second.id}`)).toEqual([b.id]);
  expect(await ids(`user=${first.id}&project=${other.id}`)).toEqual([c.id]);
  expect(await ids('project=none-of-these')).toEqual([]);
  const newest = await listed('limit=3');
  const projectOf = async (id: string) => {
    const { slug, name } = await directory.read(id);
    return { id, slug, name };
  };
  const [ofOne, ofOther] = [await projectOf(one.id), await projectOf(other.id)];
  expect(newest).toEqual([
    { ...c, project: ofOther, is_hidden: false },
    { ...b, project: ofOne, is_hidden: true },
    { ...a, project: ofOne, is_hidden: false },
  ]);
  expect(await ids(`project=${one.id}&after=${b.id}`)).toEqual([a.id]);
});

it('a hidden comment is neither shown nor counted, and comes back', async () => {
  const author = await person(directory.server);
  const { id: project } = await directory.live(author);
  const { id, content } = await comment(author, project, 'Buy this!');
  await comment(author, project, 'Thank you.');
  expect(await countsOf(project, author)).toEqual({ ofProject: 2, ofUser: 2 });

  expect(await hide(id)).toMatchObject(success({ id, content, is_hidden: true }));
  expect(await hide(id)).toMatchObject(success({ is_hidden: true }));
  expect(await countsOf(project, author)).toEqual({ ofProject: 1, ofUser: 1 });
  expect(await shown(project)).toMatchObject({ body: { data: [{ content: 'Thank you.' }], meta: { total: 1 } } });
  expect(await directory.as(author, 'PUT', `/api/projects/${project}/comments/${id}`, { content: 'x' })).toMatchObject(
    NOT_FOUND,
  );

  expect(await hide(id, false)).toMatchObject(success({ is_hidden: false }));
  expect(await countsOf(project, author)).toEqual({ ofProject: 2, ofUser: 2 });
  expect(dataOf<Comment[]>(await shown(project)).map((one) => one.id)).toContain(id);
  const entries = dataOf<AuditEntry[]>(await directory.get(`/api/admin/audit?subject=comment:${id}`, directory.admin));
  expect(entries.map(({ action, input }) => [action, input])).toEqual([
    ['comments.hide', { is_hidden: false }],
    ['comments.hide', { is_hidden: true }],
  ]);
});

it('the author may delete a hidden comment, which others do not find', async () => {
  const author = await person(directory.server);
  const { id: project } = await directory.live(author);
  const { id } = await comment(author, project);
  await hide(id);
  const remove = (who: Person) => directory.as(who, 'DELETE', `/api/projects/${project}/comments/${id}`);
  expect(await remove(await person(directory.server))).toMatchObject(NOT_FOUND);
  expect(await remove(author)).toMatchObject({ status: 200 });
  expect(await countsOf(project, author)).toEqual({ ofProject: 0, ofUser: 0 });
  expect(await hide(id)).toMatchObject(NOT_FOUND);
  expect(await listed(`project=${project}`)).toEqual([]);
});

it('a purge deletes hidden comments too, and concurrent changes of one comment count once', async () => {
  const author = await person(directory.server);
  const { id: project } = await directory.live(author);
  const { id } = await comment(author, project);
  await Promise.all([hide(id), hide(id), hide(id)]);
  expect(await countsOf(project, author)).toEqual({ ofProject: 0, ofUser: 0 });
  await directory.adminOk('DELETE', `/api/admin/projects/${project}`);
  await directory.server.until(async () => (await listed(`user=${author.id}`)).length === 0);
});

it('an export contains hidden comments', async () => {
  const author = await person(directory.server);
  const { id: project } = await directory.live(author);
  const { id } = await comment(author, project);
  const { id: other } = await comment(author, project);
  await hide(id);
  const { comments } = dataOf<{ comments: { id: string }[] }>(await directory.get('/api/user/export', author));
  expect(new Set(comments.map((one) => one.id))).toEqual(new Set([id, other]));
});

it('only valid requests of administrators and moderators change a comment', async () => {
  const author = await person(directory.server);
  const { id: project } = await directory.live(author);
  const { id } = await comment(author, project);
  expect(await directory.asAdmin('PUT', `${ALL}/${id}`, { is_hidden: 1 })).toMatchObject(invalidAt('is_hidden'));
  const moderator = await person(directory.server);
  await directory.ok(moderator, 'GET', '/api/user/profile');
  await directory.adminOk('PUT', `/api/admin/users/${moderator.id}`, { role: 'moderator' });
  await directory.ok(moderator, 'PUT', `${ALL}/${id}`, { is_hidden: true });
  expect(await directory.get(`${ALL}?after=x`, moderator)).toMatchObject(invalidAt('after'));
  expect(await directory.get(`${ALL}?page=1`, moderator)).toMatchObject(invalidAt('page'));
});
