import { expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { projectKey } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  dataOf,
  FORBIDDEN,
  fullSubmission,
  INVALID,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  STALE,
  type State,
  states,
  success,
  TIME,
  UNAUTHORIZED,
  unique,
  versionOf,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const [owner, stranger] = await Promise.all([person(server), person(server)]);

const put = (id: string, body: unknown, who = owner, headers: Record<string, string> = {}) =>
  directory.as(who, 'PUT', `/api/projects/${id}`, body, headers);

const edit = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<CallResponse> =>
  directory.asAdmin('PUT', `/api/admin/projects/${id}`, body, headers);

const hidden = '404 404 404 404';
const unseen = '401 404 404 404';
const reaction = (status: number) => [`401 ${status} ${status} ${status}`, unseen, unseen, unseen];

/** The statuses per state (live, pending, rejected, deleted) for anonymous, stranger, owner and administrator. */
const actions: readonly (readonly [action: string, request: string, statuses: readonly string[], body?: object])[] = [
  [
    'update',
    'PUT',
    ['401 403 200 200', '401 404 200 200', '401 404 200 200', '401 404 404 200'],
    { description: 'New.' },
  ],
  ['delete', 'DELETE', ['401 403 200 200', '401 404 200 200', '401 404 200 200', unseen]],
  ['resubmit', 'POST /resubmit', ['401 403 409 409', '401 404 409 409', '401 404 200 200', '401 404 404 409']],
  ['toggle the upvote of', 'POST /upvote', reaction(200)],
  ['upvote', 'PUT /upvote', reaction(200)],
  ['remove the upvote from', 'DELETE /upvote', reaction(200)],
  ['rate', 'POST /ratings', reaction(200), { rating: 5 }],
  ['remove the rating from', 'DELETE /ratings', reaction(200)],
  ['comment on', 'POST /comments', reaction(201), { content: 'Hello.' }],
  ['read', 'GET', ['200 200 200 200', '404 404 200 200', '404 404 200 200', '404 404 404 200']],
  ['read the comments on', 'GET /comments', ['200 200 200 200', hidden, hidden, hidden]],
];

/** Actions whose success leaves the project in another state. */
const changing = new Set(['delete', 'resubmit']);
const failures: Readonly<Record<number, object>> = {
  401: UNAUTHORIZED,
  403: FORBIDDEN,
  404: NOT_FOUND,
  409: conflict('INVALID_TRANSITION'),
};

const cases = actions.flatMap(([action, request, statuses, body]) =>
  states.map((state, position) => ({ action, state, request, body, expected: statuses[position] ?? '' })),
);

/** A project in each state, until a request leaves it in another one. */
const inState = new Map<State, string>();

it.each(cases)(
  '$action a $state project returns $expected for anonymous, stranger, owner and administrator',
  async ({ action, state, request, body, expected }) => {
    const [method = '', path = ''] = request.split(' ');
    for (const [position, who] of [undefined, stranger, owner, directory.admin].entries()) {
      const id = inState.get(state) ?? (await directory.project(state, owner)).id;
      inState.set(state, id);
      const response = await directory.as(who, method, `/api/projects/${id}${path}`, body);
      if (response.status < 300 && changing.has(action)) inState.delete(state);
      const status = Number(expected.split(' ')[position]);
      expect({ position, ...response }).toMatchObject({ position, status, ...failures[status] });
    }
  },
);

it('an update by the owner returns the project and changes only the given fields', async () => {
  const { id } = await directory.live(owner, fullSubmission({ categories: [directory.category] }));
  const before = await directory.read(id, owner);
  const response = await put(id, { description: 'New words.', tags: ['new'] });
  expect(response.status).toBe(200);
  expect(response.body).toEqual({
    data: { ...before, description: 'New words.', tags: ['new'], updated_at: TIME },
  });
  expect(dataOf<Project>(response).updated_at > before.updated_at).toBe(true);
  expect(await directory.read(id)).toMatchObject({ description: 'New words.', tags: ['new'] });
});

it('an update by the owner accepts every field of a submission', async () => {
  const { id } = await directory.live(owner);
  const { slug: other } = await directory.addCategory();
  const { plan: _, ...body } = fullSubmission({ categories: [other], pricing_type: 'paid' });
  expect(await put(id, body)).toMatchObject(success(body));
  expect(await directory.read(id, owner)).toMatchObject(body);
});

it.each(['pending', 'rejected', 'nonsense', '', null, 1, {}])(
  'an update by the owner returns 403 with the status %j for a live project',
  async (status) => {
    const { id } = await directory.live(owner);
    expect(await put(id, { status })).toMatchObject(FORBIDDEN);
    // Before the other fields are validated, and without any change.
    expect(await put(id, { name: '', status })).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: 'Edited', status })).toMatchObject(FORBIDDEN);
    expect(await directory.read(id)).not.toMatchObject({ name: 'Edited' });
  },
);

longTest('an update by the owner accepts a whole project as it was read, with its status', async () => {
  for (const state of ['live', 'pending', 'rejected'] as const) {
    const { id } = await directory.project(state, owner, fullSubmission({ categories: [directory.category] }));
    const project = await directory.read(id, owner);
    expect(await put(id, project)).toMatchObject({ status: 200 });
    expect(await directory.read(id, owner)).toEqual(project);
    const edited = await put(id, { ...project, description: 'Edited.' });
    expect(edited).toMatchObject(success({ status: state, description: 'Edited.' }));
  }
});

it('an update by the owner ignores plan, counters, owner, dates and unknown fields', async () => {
  const { id } = await directory.live(owner);
  const before = await directory.read(id, owner);
  const ignored = {
    ...{ upvote_count: 9, ratings_count: 9, average_rating: 5, comments_count: 9, views_count: 9, id: 'prj_other' },
    ...{ created_at: '2020-01-01T00:00:00.000Z', spheres: ['x'], nonsense: 1 },
  };
  const byOwner = { plan: 'premium', owner_id: stranger.id, published_at: null, rejection_reason: 'x' };
  const dates = { paid_at: '2020-01-01T00:00:00.000Z', deleted_at: '2020-01-01T00:00:00.000Z' };
  expect(await put(id, { ...ignored, ...byOwner, ...dates })).toMatchObject({ status: 200 });
  expect(await edit(id, ignored)).toMatchObject({ status: 200 });
  expect(await directory.read(id, owner)).toEqual(before);
});

it('an update by the owner clears optional fields with null or an empty string', async () => {
  for (const empty of [null, '']) {
    const { id } = await directory.live(owner, fullSubmission({ categories: [directory.category] }));
    const fields = ['long_description', 'logo_url', 'video_url', 'address_city', 'address_country'];
    expect((await put(id, Object.fromEntries(fields.map((field) => [field, empty])))).status).toBe(200);
    expect(await directory.read(id)).toMatchObject(Object.fromEntries(fields.map((field) => [field, null])));
  }
});

it('an update by the owner returns 400 when only one coordinate of the merged record is set', async () => {
  const { id: without } = await directory.live(owner);
  const { id: withBoth } = await directory.live(owner, { latitude: 1, longitude: 2 });
  expect(await put(without, { latitude: 5 })).toMatchObject(INVALID);
  expect(await put(without, { longitude: 5 })).toMatchObject(INVALID);
  expect(await put(withBoth, { latitude: null })).toMatchObject(INVALID);
  expect(await put(withBoth, { longitude: null })).toMatchObject(INVALID);
  expect(await put(withBoth, { latitude: 5 })).toMatchObject(success({ latitude: 5, longitude: 2 }));
  expect(await put(without, { latitude: 5, longitude: 6 })).toMatchObject({ status: 200 });
  expect(await put(withBoth, { latitude: null, longitude: null })).toMatchObject(
    success({ latitude: null, longitude: null }),
  );
});

it('an update by the owner does not validate the fields that it leaves alone', async () => {
  const { id } = await directory.live(owner);
  const outdated = { description: 'd'.repeat(600), tags: ['t'.repeat(50)], latitude: 5, longitude: null };
  expect(await updateItem(projectKey(id), { set: outdated }, exists)).toBeDefined();
  const edited = { name: 'Edited', ...outdated };
  expect(await put(id, { name: 'Edited' })).toMatchObject(success(edited));
  expect(await edit(id, { pricing_type: 'paid' })).toMatchObject(success(edited));
  expect(await put(id, { latitude: 6 })).toMatchObject(invalidAt('longitude'));
  expect(await put(id, { description: 'd'.repeat(601) })).toMatchObject(invalidAt('description'));
  expect(await put(id, { longitude: 6 })).toMatchObject(success({ latitude: 5, longitude: 6 }));
});

longTest('an update by the owner returns 400 when it removes the last category', async () => {
  const { id: categoryId, slug } = await directory.addCategory();
  const { id } = await directory.live(owner, { categories: [slug] });
  await directory.adminOk('DELETE', `/api/admin/categories/${categoryId}`);
  expect((await directory.read(id)).categories).toEqual([]);
  expect(await edit(id, { categories: ['no-such-category'] })).toMatchObject(invalidAt('categories'));
  expect(await edit(id, { name: 'None' })).toMatchObject(success({ categories: [] }));
  expect(await put(id, { categories: [directory.category, slug] })).toMatchObject(invalidAt('categories'));
  expect(await put(id, { name: 'Without' })).toMatchObject(success({ name: 'Without' }));
  expect(await put(id, { name: 'Still without', categories: [] })).toMatchObject({ status: 200 });
  expect(await put(id, { name: 'With', categories: [directory.category] })).toMatchObject({ status: 200 });
  expect(await put(id, { categories: [] })).toMatchObject(invalidAt('categories'));
  expect((await directory.read(id)).categories).toEqual([directory.category]);
});

it('an update by the owner returns 200 and keeps the version and updated_at when nothing changes', async () => {
  const { id } = await directory.live(owner);
  const before = await directory.get(`/api/projects/${id}`, owner);
  const { name } = dataOf<Project>(before);
  const response = await put(id, { name });
  expect(response.status).toBe(200);
  expect(versionOf(response)).toBe(versionOf(before));
  expect(dataOf<Project>(response).updated_at).toBe(dataOf<Project>(before).updated_at);
});

it('a project with a changed slug still resolves under the previous slug', async () => {
  const { id, slug } = await directory.live(owner);
  const next = unique('next');
  expect(await put(id, { slug: next })).toMatchObject(success({ slug: next }));
  for (const reference of [slug, next]) expect(await directory.read(reference)).toMatchObject({ id, slug: next });
  // An empty one is ignored, and an earlier one can be taken again.
  expect(await put(id, { slug: '', name: 'Renamed' })).toMatchObject(success({ slug: next }));
  expect(await put(id, { slug })).toMatchObject(success({ slug }));
  expect(await directory.read(next)).toMatchObject({ id, slug });
});

it('a project with a changed slug returns 409 when it is a current or earlier slug of another project', async () => {
  const other = await directory.live(stranger);
  const now = unique('now');
  expect(await put(other.id, { slug: now }, stranger)).toMatchObject({ status: 200 });
  const { id, slug } = await directory.live(owner);
  for (const taken of [other.slug, now]) {
    expect(await put(id, { slug: taken, name: 'Renamed' })).toMatchObject(conflict('SLUG_TAKEN'));
  }
  expect(await put(id, { slug: 'map' })).toMatchObject(conflict('SLUG_TAKEN'));
  expect(await edit(id, { slug: other.slug })).toMatchObject(conflict('SLUG_TAKEN'));
  expect(await directory.read(id)).toMatchObject({ slug });
  expect(await directory.read(id)).not.toMatchObject({ name: 'Renamed' });
});

const tagOf = async (id: string, who?: Person, headers: Record<string, string> = {}) =>
  (await directory.get(`/api/projects/${id}`, who, headers)).headers.get('etag') ?? '';

it('If-Match of an update accepts the current ETag and returns 412 STALE for a stale one without a write', async () => {
  const { id } = await directory.live(owner);
  const tag = await tagOf(id);
  expect(tag).toMatch(/^"\d+\.[\w-]{27}"$/);
  const first = await put(id, { name: 'First' }, owner, { 'if-match': tag });
  expect(first.status).toBe(200);
  expect(first.headers.get('etag')).not.toBe(tag);
  const second = await put(id, { name: 'Second' }, owner, { 'if-match': tag });
  expect({ status: second.status, body: second.body }).toEqual(STALE);
  expect(await directory.read(id)).toMatchObject({ name: 'First' });
  expect(await edit(id, { name: 'Third' }, { 'if-match': tag })).toMatchObject(STALE);
  expect(await edit(id, { name: 'Third' }, { 'if-match': await tagOf(id) })).toMatchObject({ status: 200 });
});

it('If-Match of an update accepts *, a list of ETags, and no header', async () => {
  const { id } = await directory.live(owner);
  const tag = await tagOf(id);
  expect((await put(id, { name: 'One' }, owner, { 'if-match': `"other", ${tag}` })).status).toBe(200);
  expect((await put(id, { name: 'Two' }, owner, { 'if-match': '*' })).status).toBe(200);
  expect((await put(id, { name: 'Three' })).status).toBe(200);
  expect(await put(id, { name: 'Four' }, owner, { 'if-match': '"nonsense"' })).toMatchObject(STALE);
});

it('If-Match of an update accepts an ETag from before votes, ratings and comments, which If-None-Match does not match', async () => {
  const { id } = await directory.live(owner);
  const before = await directory.get(`/api/projects/${id}`);
  const tag = before.headers.get('etag') ?? '';
  await directory.react(stranger, id, 1);
  const read = await directory.get(`/api/projects/${id}`, undefined, { 'if-none-match': tag });
  expect(read).toMatchObject(success({ upvote_count: 1, average_rating: 1 }));
  expect(read.headers.get('etag')).not.toBe(tag);
  expect(versionOf(read)).toBe(versionOf(before));
  // The version is the same for every reader.
  const readers = [undefined, owner, stranger, directory.admin];
  const versions = readers.map(async (who) => versionOf(await directory.get(`/api/projects/${id}`, who)));
  expect(new Set(await Promise.all(versions)).size).toBe(1);
  expect((await put(id, { name: 'Fine' }, owner, { 'if-match': tag })).status).toBe(200);
  expect(await put(id, { name: 'Too late' }, owner, { 'if-match': read.headers.get('etag') ?? '' })).toMatchObject(
    STALE,
  );
});

it('If-Match of an update accepts the same ETag in every encoding', async () => {
  const { id } = await directory.live(owner, { long_description: 'words '.repeat(500) });
  const tags = await Promise.all([
    tagOf(id),
    ...['gzip', 'br', 'identity'].map(async (encoding) => {
      const response = await fetch(`${server.url}/api/projects/${id}`, { headers: { 'accept-encoding': encoding } });
      await response.arrayBuffer();
      return response.headers.get('etag');
    }),
  ]);
  expect(new Set(tags).size).toBe(1);
});

it('If-Match of an update is checked after permission and input, and before conflicts', async () => {
  const { id } = await directory.live(owner);
  const stale = { 'if-match': '"stale"' };
  expect(await put(id, { name: 'x' }, stranger, stale)).toMatchObject(FORBIDDEN);
  expect(await put(id, { name: '' }, owner, stale)).toMatchObject(INVALID);
  expect(await put(id, { latitude: 1 }, owner, stale)).toMatchObject(INVALID);
  expect(await put(unique('none'), { name: 'x' }, owner, stale)).toMatchObject(NOT_FOUND);
  expect(await put(id, { categories: ['no-such-category'] }, owner, stale)).toMatchObject(invalidAt('categories'));
  for (const slug of [(await directory.live(owner)).slug, 'map'])
    expect(await put(id, { slug }, owner, stale)).toMatchObject(STALE);
});

it('a soft deletion returns id and deleted_at; afterwards only administrators can read the project', async () => {
  const { id, slug } = await directory.live(owner);
  const response = await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
  expect(response.body).toEqual({ data: { id, deleted_at: TIME } });
  for (const who of [undefined, owner, stranger]) {
    for (const reference of [id, slug]) {
      expect(await directory.get(`/api/projects/${reference}`, who)).toMatchObject(NOT_FOUND);
    }
  }
  expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
  expect(await directory.asAdmin('DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
  expect(await directory.read(id, directory.admin)).toMatchObject(dataOf<object>(response));
});

longTest(
  'a soft deletion keeps the status of the project, and removes it from the lists, the map and the submissions',
  async () => {
    for (const state of ['pending', 'rejected'] as const) {
      const { id } = await directory.project(state, owner);
      await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
      expect(await directory.read(id, directory.admin)).toMatchObject({ status: state, deleted_at: TIME });
    }
    const { slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug], latitude: 1, longitude: 1 });
    await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
    expect(metaOf(await directory.get(`/api/projects?category=${slug}`)).total).toBe(0);
    const { items } = (await directory.get('/api/projects/map')).body as { items: { id: string }[] };
    expect(items.map((item) => item.id)).not.toContain(id);
    expect(idsOf(await directory.get('/api/me/submissions?limit=100', owner))).not.toContain(id);
    expect(dataOf(await directory.get(`/api/categories/${slug}`))).toMatchObject({ project_count: 0 });
  },
);

it('a soft deletion can be set by an administrator with deleted_at and undone with null', async () => {
  const { id } = await directory.live(owner);
  const deleted_at = '2026-02-03T04:05:06.789Z';
  const deleted = { data: { deleted_at, status: 'live' } };
  expect(await edit(id, { deleted_at })).toMatchObject({ status: 200, body: deleted });
  expect(await edit(id, { name: 'Still there' })).toMatchObject(success({ name: 'Still there' }));
  expect(await directory.get(`/api/projects/${id}`, owner)).toMatchObject(NOT_FOUND);
  expect(await edit(id, { deleted_at: null })).toMatchObject(success({ deleted_at: null }));
  expect(await directory.read(id)).toMatchObject({ id, status: 'live', deleted_at: null });
});

it('a soft deletion keeps votes, ratings and comments when it is undone', async () => {
  const { id } = await directory.live(owner);
  await directory.react(stranger, id);
  const before = await directory.read(id, stranger);
  await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
  expect(await edit(id, { deleted_at: null })).toMatchObject({ status: 200 });
  expect(await directory.read(id, stranger)).toEqual({ ...before, updated_at: TIME });
  expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(1);
});

it('a permanent deletion returns id and deleted; afterwards administrators cannot read the project either', async () => {
  for (const state of states) {
    const { id, slug } = await directory.project(state, owner);
    const response = await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
    expect(response.body).toEqual({ data: { id, deleted: true } });
    for (const reference of [id, slug]) {
      expect(await directory.get(`/api/projects/${reference}`, directory.admin)).toMatchObject(NOT_FOUND);
    }
    expect(await edit(id, { deleted_at: null })).toMatchObject(NOT_FOUND);
  }
});

it('a permanent deletion deletes votes, ratings, comments and slugs, which do not reappear with a new project of the same slug', async () => {
  const { id, slug } = await directory.live(owner);
  const commentId = await directory.react(stranger, id);
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  const next = await directory.live(owner, { slug });
  expect(await directory.read(slug, stranger)).toMatchObject({
    ...{ id: next.id, upvote_count: 0, ratings_count: 0, average_rating: 0, comments_count: 0 },
    viewer: { upvoted: false, rating: null },
  });
  expect(metaOf(await directory.get(`/api/projects/${slug}/comments`)).total).toBe(0);
  for (const reference of [id, slug]) {
    expect(await directory.as(stranger, 'DELETE', `/api/projects/${reference}/comments/${commentId}`)).toMatchObject(
      NOT_FOUND,
    );
  }
});

it('an edit by an administrator bypasses ownership, accepts any field and returns the project', async () => {
  const { id } = await directory.project('pending', owner);
  const { slug: other } = await directory.addCategory();
  const body = fullSubmission({ plan: 'premium', categories: [other], pricing_type: 'freemium', status: 'live' });
  expect(await edit(id, body)).toMatchObject(success({ ...body, owner_id: owner.id }));
  expect(await directory.read(id)).toMatchObject(body);
});

it('an edit by an administrator allows every status transition', async () => {
  const { id } = await directory.submit(owner);
  for (const status of ['live', 'rejected', 'pending', 'rejected', 'live', 'pending', 'live']) {
    expect(await edit(id, { status })).toMatchObject(success({ id, status }));
  }
  // The public route takes a status from administrators too.
  const { id: other } = await directory.submit(owner);
  expect(await put(other, { status: 'nonsense' }, directory.admin)).toMatchObject(invalidAt('status'));
  expect(await put(other, { status: 'live' }, directory.admin)).toMatchObject(
    success({ status: 'live', published_at: TIME }),
  );
});

it('a scheduled project keeps its approval when its owner edits it, because edits are public at once', async () => {
  const publish_at = new Date(Date.now() + 86_400_000).toISOString();
  const { id } = await directory.submit(owner, { publish_at });
  await directory.adminOk('PUT', `/api/admin/projects/${id}/approve`);
  const edited = await directory.ok(owner, 'PUT', `/api/projects/${id}`, { description: 'Changed.' });
  expect(dataOf(edited)).toMatchObject({ description: 'Changed.', status: 'pending', publish_at, approved_at: TIME });
});
