import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Comment } from '#contract/comments.ts';
import { openStage, type People, peopleOf, type Stage } from '#test/conformance/stage.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  Directory,
  dataOf,
  FORBIDDEN,
  idOf,
  idsOf,
  NOT_FOUND,
  type Person,
  type SeenProject,
  STALE,
  type Submitted,
  submission,
  TIME,
} from '#test/support/fixtures.ts';
import { importFile } from '#test/support/uploads.ts';

/** The life of a listing, from submission to deletion. */

/** Warm instances apply a change within a second, plus latency. */
const VISIBLE_MS = 10_000;

let stage: Stage;
let people: People;
let directory: Directory;

beforeAll(async () => {
  stage = await openStage();
  people = await peopleOf(stage);
  directory = await Directory.create(stage.client, people.admin);
});

afterAll(async () => {
  await stage.client.tidy(people.admin);
  await stage.close();
});

const as = (who: Person | undefined, method: string, path: string, body?: unknown, headers?: Record<string, string>) =>
  directory.as(who, method, path, body, headers);

const ok = async (pending: Promise<CallResponse>, status = 200): Promise<CallResponse> => {
  const response = await pending;
  expect(response).toMatchObject({ status });
  return response;
};

const read = async (id: string, who?: Person): Promise<SeenProject> =>
  dataOf<SeenProject>(await ok(as(who, 'GET', `/api/projects/${id}`)));

it('a listing is submitted, approved, found, voted for, rated, discussed, updated, reported and deleted', async () => {
  const { admin, user: owner, other } = people;

  // Submitted twice with one idempotency key: one project, visible to its owner only.
  const body = submission({ categories: [directory.category], tags: ['conformance'] });
  const key = { 'idempotency-key': `key-of-${String(body.name)}` };
  const submitted = await ok(as(owner, 'POST', '/api/projects', body, key), 201);
  const { id, slug, status } = dataOf<Submitted>(submitted);
  expect({ id, slug, status }).toEqual({ id: idOf('prj'), slug: expect.any(String) as string, status: 'pending' });
  expect((await ok(as(owner, 'POST', '/api/projects', body, key), 201)).body).toEqual(submitted.body);
  expect(await as(owner, 'POST', '/api/projects', { ...body, name: 'Another' }, key)).toMatchObject({ status: 422 });
  const path = `/api/projects/${id}`;
  for (const who of [undefined, other]) expect(await as(who, 'GET', path)).toMatchObject(NOT_FOUND);
  const mine = await ok(as(owner, 'GET', '/api/me/submissions'));
  expect(dataOf<SeenProject[]>(mine)[0]).toMatchObject({ id, status: 'pending', queue_position: expect.any(Number) });

  // Approved once, by administrators only, and then in every list.
  const approve = (who: Person) => as(who, 'PUT', `/api/admin/projects/${id}/approve`);
  expect(await approve(owner)).toMatchObject(FORBIDDEN);
  await ok(approve(admin));
  expect(await approve(admin)).toMatchObject(conflict('INVALID_TRANSITION'));
  const search = `/api/projects?q=${encodeURIComponent(String(body.name))}&category=${directory.category}`;
  await stage.client.until(async () => idsOf(await as(undefined, 'GET', search)).includes(id), VISIBLE_MS);
  expect(await read(slug)).toMatchObject({ id, status: 'live', published_at: TIME, upvote_count: 0 });

  // Setting and clearing a vote are idempotent, toggling is not.
  const vote = (method: string) => ok(as(other, method, `${path}/upvote`));
  for (const count of [1, 1])
    expect((await vote('PUT')).body).toEqual({ data: { upvoted: true, upvote_count: count } });
  for (const count of [0, 0])
    expect((await vote('DELETE')).body).toEqual({ data: { upvoted: false, upvote_count: count } });
  expect((await vote('POST')).body).toEqual({ data: { upvoted: true, upvote_count: 1 } });
  expect((await read(id, other)).viewer).toMatchObject({ upvoted: true });

  if (stage.isOn('ratings')) {
    const rate = (who: Person, rating: number) => ok(as(who, 'POST', `${path}/ratings`, { rating }));
    await rate(other, 2);
    const rated = await rate(other, 4);
    expect(rated.body).toEqual({ data: { rating: 4, average_rating: 4, ratings_count: 1 } });
    expect((await rate(admin, 5)).body).toMatchObject({ data: { average_rating: 4.5, ratings_count: 2 } });
    await ok(as(admin, 'DELETE', `${path}/ratings`));
    expect(await read(id, other)).toMatchObject({ average_rating: 4, ratings_count: 1, viewer: { rating: 4 } });
  }

  if (stage.isOn('comments')) {
    const added = await ok(as(other, 'POST', `${path}/comments`, { content: ' <b>First</b>\u0007 ' }), 201);
    const comment = dataOf<Comment>(added);
    expect(comment).toMatchObject({ project_id: id, content: '<b>First</b>', user: { id: other.id } });
    const one = `${path}/comments/${comment.id}`;
    expect(await as(owner, 'PUT', one, { content: 'Mine' })).toMatchObject(FORBIDDEN);
    await ok(as(other, 'PUT', one, { content: 'Second' }));
    expect(dataOf<Comment[]>(await ok(as(undefined, 'GET', `${path}/comments`)))).toMatchObject([
      { content: 'Second' },
    ]);
    await ok(as(other, 'DELETE', one));
    expect(dataOf<Comment[]>(await ok(as(undefined, 'GET', `${path}/comments`)))).toEqual([]);
  }

  // Updated by its owner only, and not over a concurrent change.
  const tag = (await ok(as(owner, 'GET', path))).headers.get('etag') ?? '';
  const update = (who: Person, fields: object) => as(who, 'PUT', path, fields, { 'if-match': tag });
  expect(await as(other, 'PUT', path, { description: 'Changed by another user.' })).toMatchObject(FORBIDDEN);
  expect(await as(owner, 'PUT', path, { status: 'rejected' })).toMatchObject(FORBIDDEN);
  await ok(update(owner, { description: 'A better text.' }));
  expect(await update(owner, { description: 'Another text.' })).toMatchObject(STALE);
  expect(await read(id)).toMatchObject({ description: 'A better text.', status: 'live', upvote_count: 1 });

  // Reported, and listed for administrators.
  const report = { reason: 'To test reports.' };
  await ok(as(other, 'POST', `${path}/report`, report), 201);
  const reports = dataOf<{ id: string; project_id: string }[]>(
    await ok(as(admin, 'GET', '/api/admin/reports?limit=100')),
  );
  expect(reports.map((one) => one.project_id)).toContain(id);

  // The events are in the ledger.
  await stage.client.until(async () => {
    const ledger = dataOf<{ kind: string; data: { project_id?: string } }[]>(
      await ok(as(admin, 'GET', '/api/admin/events?limit=100')),
    );
    const kinds = ledger.filter(({ data }) => data.project_id === id).map(({ kind }) => kind);
    return ['projectSubmitted', 'projectApproved', 'projectUpdated'].every((kind) => kinds.includes(kind));
  }, VISIBLE_MS);

  // Deleted by its owner: visible to administrators only, until one of them purges it.
  await ok(as(owner, 'DELETE', path));
  for (const who of [undefined, owner, other]) expect(await as(who, 'GET', path)).toMatchObject(NOT_FOUND);
  expect(await as(other, 'PUT', `${path}/upvote`)).toMatchObject(NOT_FOUND);
  expect(await read(id, admin)).toMatchObject({ id, deleted_at: TIME });
  await stage.client.until(async () => !idsOf(await as(undefined, 'GET', search)).includes(id), VISIBLE_MS);
  await ok(as(admin, 'DELETE', `/api/admin/projects/${id}`));
  expect(await as(admin, 'GET', path)).toMatchObject(NOT_FOUND);
}, 60_000);

it('a rejected listing is resubmitted after the owner fixes it', async () => {
  const { admin, user: owner } = people;
  const { id } = await directory.submit(owner);
  const reason = 'The description is empty.';
  await ok(as(admin, 'PUT', `/api/admin/projects/${id}/reject`, { reason }));
  expect(await read(id, owner)).toMatchObject({ status: 'rejected', rejection_reason: reason });
  await ok(as(owner, 'PUT', `/api/projects/${id}`, { description: 'A description.' }));
  await ok(as(owner, 'POST', `/api/projects/${id}/resubmit`));
  expect(await read(id, owner)).toMatchObject({ status: 'pending', rejection_reason: null });
});

it('a submission is validated', async () => {
  const { user: owner } = people;
  const categories = [directory.category];
  const wrong = submission({ categories, url: 'javascript:alert(1)', name: 'x'.repeat(101), latitude: 1 });
  const response = await as(owner, 'POST', '/api/projects', wrong);
  expect(response).toMatchObject({ status: 400, body: { details: { url: {}, name: {} } } });
  expect(
    await as(owner, 'POST', '/api/projects', submission({ categories: ['there-is-no-such-category'] })),
  ).toMatchObject({
    status: 400,
    body: { details: { categories: {} } },
  });
  expect(await as(owner, 'POST', '/api/projects', submission({ categories, slug: 'map' }))).toMatchObject(
    conflict('SLUG_TAKEN'),
  );
});

it('a dry run of a CSV import changes nothing', async () => {
  const { name, url } = submission() as { name: string; url: string };
  const file = `Title,Link,About\n${name},${url},Something\n,,\n`;
  const mapping = {
    columns: { Title: 'name', Link: 'url', About: 'description' },
    defaults: { pricing_type: 'free', categories: directory.category },
    dry_run: true,
  };
  const report = await importFile(stage.client, people.admin.token, file, mapping);
  expect(report).toMatchObject({ dry_run: true, created: 1, updated: 0 });
  expect(idsOf(await as(people.admin, 'GET', `/api/admin/projects?status=all&q=${name}`))).toEqual([]);
});
