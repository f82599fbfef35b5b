import { describe, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import { projectKey } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  type Directory,
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
  TIME,
  UNAUTHORIZED,
  unique,
  versionOf,
} from '#test/support/fixtures.ts';
import type { TestServer } from '#test/support/server.ts';
import { withDirectory } from '#test/support/with-directory.ts';

/** Updates and deletions of projects: permissions, states and the resulting record. */

let server: TestServer;
let directory: Directory;
let owner: Person;
let stranger: Person;

withDirectory(async (opened) => {
  ({ server, directory } = opened);
  [owner, stranger] = await Promise.all([person(server), person(server)]);
});

const put = (id: string, body: unknown, who = owner, headers: Record<string, string> = {}) =>
  directory.as(who, 'PUT', `/api/projects/${id}`, body, headers);

const edit = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<CallResponse> =>
  directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, body, headers);

describe('permissions', () => {
  type Caller = 'anonymous' | 'stranger' | 'owner' | 'admin';
  const callers: readonly Caller[] = ['anonymous', 'stranger', 'owner', 'admin'];

  interface Action {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
    /** A success leaves the project in another state. */
    readonly changesState?: true;
    /** The status per state of the project for anonymous, stranger, owner and admin. */
    readonly expected: Record<State, readonly [number, number, number, number]>;
  }

  const reaction = (success: number): Action['expected'] => ({
    live: [401, success, success, success],
    pending: [401, 404, 404, 404],
    rejected: [401, 404, 404, 404],
    deleted: [401, 404, 404, 404],
  });

  const actions: Record<string, Action> = {
    update: {
      method: 'PUT',
      path: '',
      body: { description: 'Changed.' },
      expected: {
        live: [401, 403, 200, 200],
        pending: [401, 404, 200, 200],
        rejected: [401, 404, 200, 200],
        deleted: [401, 404, 404, 200],
      },
    },
    delete: {
      method: 'DELETE',
      path: '',
      changesState: true,
      expected: {
        live: [401, 403, 200, 200],
        pending: [401, 404, 200, 200],
        rejected: [401, 404, 200, 200],
        deleted: [401, 404, 404, 404],
      },
    },
    resubmit: {
      method: 'POST',
      path: '/resubmit',
      changesState: true,
      expected: {
        live: [401, 403, 409, 409],
        pending: [401, 404, 409, 409],
        rejected: [401, 404, 200, 200],
        deleted: [401, 404, 404, 409],
      },
    },
    'toggle the upvote of': { method: 'POST', path: '/upvote', expected: reaction(200) },
    upvote: { method: 'PUT', path: '/upvote', expected: reaction(200) },
    'remove the upvote from': { method: 'DELETE', path: '/upvote', expected: reaction(200) },
    rate: { method: 'POST', path: '/ratings', body: { rating: 5 }, expected: reaction(200) },
    'remove the rating from': { method: 'DELETE', path: '/ratings', expected: reaction(200) },
    'comment on': { method: 'POST', path: '/comments', body: { content: 'Hello.' }, expected: reaction(201) },
    'read the comments on': {
      method: 'GET',
      path: '/comments',
      expected: {
        live: [200, 200, 200, 200],
        pending: [404, 404, 404, 404],
        rejected: [404, 404, 404, 404],
        deleted: [404, 404, 404, 404],
      },
    },
  };

  const cases = Object.entries(actions).flatMap(([action, { expected, ...rest }]) =>
    states.map((state) => ({ action, state, ...rest, expected: expected[state] })),
  );

  /** A project in each state, until a request leaves it in another one. */
  const inState = new Map<State, string>();

  it.each(cases)(
    '$action a $state project returns $expected for anonymous, stranger, owner and admin',
    async ({ state, method, path, body, changesState, expected }) => {
      const people = { anonymous: undefined, stranger, owner, admin: directory.admin };
      for (const [position, caller] of callers.entries()) {
        const id = inState.get(state) ?? (await directory.project(state, owner)).id;
        inState.set(state, id);
        const response = await directory.as(people[caller], method, `/api/projects/${id}${path}`, body);
        if (response.status < 300 && changesState) inState.delete(state);
        expect([caller, response.status]).toEqual([caller, expected[position]]);
        if (response.status === 401) expect(response).toMatchObject(UNAUTHORIZED);
        if (response.status === 403) expect(response).toMatchObject(FORBIDDEN);
        if (response.status === 404) expect(response).toMatchObject(NOT_FOUND);
        if (response.status === 409) expect(response).toMatchObject(conflict('INVALID_TRANSITION'));
      }
    },
  );

  it.each(['PUT', 'DELETE'])('%s of an unknown project returns 404', async (method) => {
    for (const who of [owner, directory.admin]) {
      expect(await directory.as(who, method, `/api/projects/${unique('none')}`, {})).toMatchObject(NOT_FOUND);
    }
    expect(await directory.as(directory.admin, method, `/api/admin/projects/${unique('none')}`, {})).toMatchObject(
      NOT_FOUND,
    );
  });

  it('are checked before the body', async () => {
    const { id } = await directory.live(owner);
    expect(await put(id, { name: '' }, stranger)).toMatchObject(FORBIDDEN);
    expect(
      await server.call('PUT', `/api/projects/${id}`, {
        ...{ token: stranger.token, rawBody: 'nonsense', headers: { 'content-type': 'text/plain' } },
      }),
    ).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: '' })).toMatchObject(invalidAt('name'));
  });

  it('leave the project unchanged after a rejected request', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.read(id, directory.admin);
    expect(await put(id, { name: 'Mine now' }, stranger)).toMatchObject(FORBIDDEN);
    expect(await server.call('PUT', `/api/projects/${id}`, { body: { name: 'Mine now' } })).toMatchObject(UNAUTHORIZED);
    expect(await put(id, { name: 'Mine now', status: 'rejected' })).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: 'Fine', url: 'not fine' })).toMatchObject(invalidAt('url'));
    expect(await directory.read(id, directory.admin)).toEqual(before);
  });
});

describe('update by the owner', () => {
  it('returns the project and changes only the given fields', async () => {
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

  it('accepts every field of a submission', async () => {
    const { id } = await directory.live(owner);
    const { slug: other } = await directory.addCategory();
    const { plan: _, ...body } = fullSubmission({ categories: [other], pricing_type: 'paid' });
    expect(await put(id, body)).toMatchObject({ status: 200, body: { data: body } });
    expect(await directory.read(id, owner)).toMatchObject(body);
  });

  it('keeps the status of the project', async () => {
    for (const state of ['live', 'pending', 'rejected'] as const) {
      const { id } = await directory.project(state, owner);
      expect(await put(id, { name: 'Edited' })).toMatchObject({ status: 200, body: { data: { status: state } } });
    }
  });

  it.each(['pending', 'rejected', 'nonsense', '', null, 1, {}])(
    'returns 403 with the status %j for a live project',
    async (status) => {
      const { id } = await directory.live(owner);
      expect(await put(id, { status })).toMatchObject(FORBIDDEN);
      expect(await put(id, { name: 'Edited', status })).toMatchObject(FORBIDDEN);
      expect(await directory.read(id)).not.toMatchObject({ name: 'Edited' });
    },
  );

  it('returns 403 for a status before the other fields are validated', async () => {
    const { id } = await directory.live(owner);
    expect(await put(id, { status: 'pending', name: '' })).toMatchObject(FORBIDDEN);
  });

  it('accepts a whole project as it was read, with its status', async () => {
    for (const state of ['live', 'pending', 'rejected'] as const) {
      const { id } = await directory.project(state, owner, fullSubmission({ categories: [directory.category] }));
      const project = await directory.read(id, owner);
      expect(await put(id, project)).toMatchObject({ status: 200 });
      expect(await directory.read(id, owner)).toEqual(project);
      const edited = await put(id, { ...project, description: 'Edited.' });
      expect(edited).toMatchObject({ status: 200, body: { data: { status: state, description: 'Edited.' } } });
    }
  });

  it('ignores plan, counters, owner, dates and unknown fields', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.read(id, owner);
    const response = await put(id, {
      ...{ plan: 'premium', upvote_count: 9, ratings_count: 9, average_rating: 5, comments_count: 9, views_count: 9 },
      ...{
        owner_id: stranger.id,
        id: 'prj_other',
        paid_at: '2020-01-01T00:00:00.000Z',
        deleted_at: '2020-01-01T00:00:00.000Z',
      },
      ...{
        created_at: '2020-01-01T00:00:00.000Z',
        published_at: null,
        rejection_reason: 'x',
        spheres: ['x'],
        nonsense: 1,
      },
    });
    expect(response.status).toBe(200);
    expect(await directory.read(id, owner)).toEqual(before);
  });

  it.each<[string, unknown]>([
    ['name', ''],
    ['name', null],
    ['name', 'n'.repeat(101)],
    ['url', 'ftp://example.com'],
    ['description', ' '],
    ['pricing_type', 'all'],
    ['categories', []],
    ['categories', ['no-such-category']],
    ['categories', null],
    ['slug', 'Not A Slug'],
    ['tags', 'one'],
    ['long_description', 'x'.repeat(10_001)],
  ])('returns 400 for %s: %j', async (field, value) => {
    const { id } = await directory.live(owner);
    expect(await put(id, { [field]: value })).toMatchObject(invalidAt(field));
  });

  it('clears optional fields with null or an empty string', async () => {
    for (const empty of [null, '']) {
      const { id } = await directory.live(owner, fullSubmission({ categories: [directory.category] }));
      const fields = ['long_description', 'logo_url', 'video_url', 'address_city', 'address_country'];
      expect((await put(id, Object.fromEntries(fields.map((field) => [field, empty])))).status).toBe(200);
      expect(await directory.read(id)).toMatchObject(Object.fromEntries(fields.map((field) => [field, null])));
    }
  });

  it('returns 400 when only one coordinate of the merged record is set', async () => {
    const { id: without } = await directory.live(owner);
    const { id: withBoth } = await directory.live(owner, { latitude: 1, longitude: 2 });
    expect(await put(without, { latitude: 5 })).toMatchObject(INVALID);
    expect(await put(without, { longitude: 5 })).toMatchObject(INVALID);
    expect(await put(withBoth, { latitude: null })).toMatchObject(INVALID);
    expect(await put(withBoth, { longitude: null })).toMatchObject(INVALID);
    expect(await put(withBoth, { latitude: 5 })).toMatchObject({ body: { data: { latitude: 5, longitude: 2 } } });
    expect(await put(without, { latitude: 5, longitude: 6 })).toMatchObject({ status: 200 });
    expect(await put(withBoth, { latitude: null, longitude: null })).toMatchObject({
      body: { data: { latitude: null, longitude: null } },
    });
  });

  it('does not validate the fields that it leaves alone', async () => {
    const { id } = await directory.live(owner);
    const outdated = { description: 'd'.repeat(600), tags: ['t'.repeat(50)], latitude: 5, longitude: null };
    expect(await updateItem(projectKey(id), { set: outdated }, exists)).toBeDefined();
    const edited = { name: 'Edited', ...outdated };
    expect(await put(id, { name: 'Edited' })).toMatchObject({ status: 200, body: { data: edited } });
    expect(await edit(id, { pricing_type: 'paid' })).toMatchObject({ status: 200, body: { data: edited } });
    expect(await put(id, { latitude: 6 })).toMatchObject(invalidAt('longitude'));
    expect(await put(id, { description: 'd'.repeat(601) })).toMatchObject(invalidAt('description'));
    expect(await put(id, { longitude: 6 })).toMatchObject({ body: { data: { latitude: 5, longitude: 6 } } });
  });

  it('returns 400 when it removes the last category', async () => {
    const { id: categoryId, slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug] });
    await directory.adminOk('DELETE', `/api/admin/categories/${categoryId}`);
    expect((await directory.read(id)).categories).toEqual([]);
    expect(await put(id, { name: 'Without' })).toMatchObject({ status: 200, body: { data: { name: 'Without' } } });
    expect(await put(id, { name: 'Still without', categories: [] })).toMatchObject({ status: 200 });
    expect(await put(id, { name: 'With', categories: [directory.category] })).toMatchObject({ status: 200 });
    expect(await put(id, { categories: [] })).toMatchObject(invalidAt('categories'));
    expect((await directory.read(id)).categories).toEqual([directory.category]);
  });

  it('returns 400 for a deleted category', async () => {
    const { id: categoryId, slug } = await directory.addCategory();
    const { id } = await directory.live(owner);
    await directory.adminOk('DELETE', `/api/admin/categories/${categoryId}`);
    expect(await put(id, { categories: [directory.category, slug] })).toMatchObject(invalidAt('categories'));
  });

  it('returns 200 and keeps the version and updated_at when nothing changes', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.get(`/api/projects/${id}`, owner);
    const { name } = dataOf<Project>(before);
    const response = await put(id, { name });
    expect(response.status).toBe(200);
    expect(versionOf(response)).toBe(versionOf(before));
    expect(dataOf<Project>(response).updated_at).toBe(dataOf<Project>(before).updated_at);
  });
});

describe('changed slug', () => {
  it('still resolves under the previous slug', async () => {
    const { id, slug } = await directory.live(owner);
    const next = unique('next');
    expect(await put(id, { slug: next })).toMatchObject({ status: 200, body: { data: { slug: next } } });
    for (const reference of [slug, next]) expect(await directory.read(reference)).toMatchObject({ id, slug: next });
  });

  it('returns 409 when it is a current or earlier slug of another project', async () => {
    const other = await directory.live(stranger);
    const now = unique('now');
    expect(await put(other.id, { slug: now }, stranger)).toMatchObject({ status: 200 });
    const { id, slug } = await directory.live(owner);
    for (const taken of [other.slug, now]) {
      expect(await put(id, { slug: taken, name: 'Renamed' })).toMatchObject(conflict('SLUG_TAKEN'));
    }
    expect(await put(id, { slug: 'map' })).toMatchObject(conflict('SLUG_TAKEN'));
    expect(await directory.read(id)).toMatchObject({ slug });
    expect(await directory.read(id)).not.toMatchObject({ name: 'Renamed' });
  });

  it('can be an earlier slug of the same project', async () => {
    const { id, slug } = await directory.live(owner);
    const next = unique('next');
    expect(await put(id, { slug: next })).toMatchObject({ status: 200 });
    expect(await put(id, { slug })).toMatchObject({ status: 200, body: { data: { slug } } });
    expect(await directory.read(next)).toMatchObject({ id, slug });
  });

  it('is ignored when it is empty', async () => {
    const { id, slug } = await directory.live(owner);
    expect(await put(id, { slug: '', name: unique('Renamed') })).toMatchObject({
      status: 200,
      body: { data: { slug } },
    });
  });
});

describe('If-Match', () => {
  const tagOf = async (id: string, who?: Person, headers: Record<string, string> = {}) =>
    (await directory.get(`/api/projects/${id}`, who, headers)).headers.get('etag') ?? '';

  it('accepts the current ETag and returns 412 STALE for a stale one without a write', async () => {
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

  it('accepts *, a list of ETags, and no header', async () => {
    const { id } = await directory.live(owner);
    const tag = await tagOf(id);
    expect((await put(id, { name: 'One' }, owner, { 'if-match': `"other", ${tag}` })).status).toBe(200);
    expect((await put(id, { name: 'Two' }, owner, { 'if-match': '*' })).status).toBe(200);
    expect((await put(id, { name: 'Three' })).status).toBe(200);
    expect(await put(id, { name: 'Four' }, owner, { 'if-match': '"nonsense"' })).toMatchObject(STALE);
  });

  it('accepts an ETag from before votes, ratings and comments, which If-None-Match does not match', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.get(`/api/projects/${id}`);
    const tag = before.headers.get('etag') ?? '';
    await directory.react(stranger, id, 1);
    const read = await directory.get(`/api/projects/${id}`, undefined, { 'if-none-match': tag });
    expect(read).toMatchObject({ status: 200, body: { data: { upvote_count: 1, average_rating: 1 } } });
    expect(read.headers.get('etag')).not.toBe(tag);
    expect(versionOf(read)).toBe(versionOf(before));
    expect((await put(id, { name: 'Fine' }, owner, { 'if-match': tag })).status).toBe(200);
    expect(await put(id, { name: 'Too late' }, owner, { 'if-match': read.headers.get('etag') ?? '' })).toMatchObject(
      STALE,
    );
  });

  it('accepts the ETag of every caller, whose version is the same', async () => {
    const { id } = await directory.live(owner);
    for (const who of [undefined, owner, stranger, directory.admin]) {
      const tag = await tagOf(id, who);
      expect((await put(id, { description: unique('For') }, owner, { 'if-match': tag })).status).toBe(200);
    }
    const readers = await Promise.all(
      [undefined, owner, stranger].map((who) => directory.get(`/api/projects/${id}`, who)),
    );
    expect(new Set(readers.map(versionOf)).size).toBe(1);
  });

  it('accepts the same ETag in every encoding', async () => {
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

  it('is checked after permission and input', async () => {
    const { id } = await directory.live(owner);
    const stale = { 'if-match': '"stale"' };
    expect(await put(id, { name: 'x' }, stranger, stale)).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: '' }, owner, stale)).toMatchObject(INVALID);
    expect(await put(id, { latitude: 1 }, owner, stale)).toMatchObject(INVALID);
    expect(await put(unique('none'), { name: 'x' }, owner, stale)).toMatchObject(NOT_FOUND);
    expect(await put(id, { categories: ['no-such-category'] }, owner, stale)).toMatchObject(invalidAt('categories'));
  });

  it('is checked before slug and URL conflicts', async () => {
    const { id } = await directory.live(owner);
    const { slug: taken } = await directory.live(owner);
    for (const slug of [taken, 'map']) {
      expect(await put(id, { slug }, owner, { 'if-match': '"stale"' })).toMatchObject(STALE);
    }
  });
});

describe('soft deletion', () => {
  it('returns id and deleted_at; afterwards only administrators can read the project', async () => {
    const { id, slug } = await directory.live(owner);
    const response = await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    expect(response.status).toBe(200);
    expect(response.body).toEqual({ data: { id, deleted_at: TIME } });
    for (const who of [undefined, owner, stranger]) {
      for (const reference of [id, slug]) {
        expect(await directory.get(`/api/projects/${reference}`, who)).toMatchObject(NOT_FOUND);
      }
    }
    expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
    expect(await directory.as(directory.admin, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
    expect(await directory.read(id, directory.admin)).toMatchObject(dataOf<object>(response));
  });

  it('keeps the status of the project', async () => {
    for (const state of ['live', 'pending', 'rejected'] as const) {
      const { id } = await directory.project(state, owner);
      await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
      expect(await directory.read(id, directory.admin)).toMatchObject({ status: state, deleted_at: TIME });
    }
  });

  it('removes the project from the lists, the map and the submissions', async () => {
    const { slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug], latitude: 1, longitude: 1 });
    await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
    expect(metaOf(await directory.get(`/api/projects?category=${slug}`)).total).toBe(0);
    const { items } = (await directory.get('/api/projects/map')).body as { items: { id: string }[] };
    expect(items.map((item) => item.id)).not.toContain(id);
    expect(idsOf(await directory.get('/api/me/submissions?limit=100', owner))).not.toContain(id);
    expect(dataOf(await directory.get(`/api/categories/${slug}`))).toMatchObject({ project_count: 0 });
  });

  it('can be set by an administrator with deleted_at and undone with null', async () => {
    const { id } = await directory.live(owner);
    const deleted_at = '2026-02-03T04:05:06.789Z';
    expect(await edit(id, { deleted_at })).toMatchObject({
      status: 200,
      body: { data: { deleted_at, status: 'live' } },
    });
    expect(await directory.get(`/api/projects/${id}`, owner)).toMatchObject(NOT_FOUND);
    expect(await edit(id, { deleted_at: null })).toMatchObject({ status: 200, body: { data: { deleted_at: null } } });
    expect(await directory.read(id)).toMatchObject({ id, status: 'live', deleted_at: null });
    for (const wrong of ['yesterday', '2026-02-30T25:00:00Z', 5, true]) {
      expect(await edit(id, { deleted_at: wrong })).toMatchObject(invalidAt('deleted_at'));
    }
  });

  it('keeps votes, ratings and comments when it is undone', async () => {
    const { id } = await directory.live(owner);
    await directory.react(stranger, id);
    const before = await directory.read(id, stranger);
    await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
    expect(await edit(id, { deleted_at: null })).toMatchObject({ status: 200 });
    expect(await directory.read(id, stranger)).toEqual({ ...before, updated_at: TIME });
    expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(1);
  });
});

describe('permanent deletion', () => {
  it('returns id and deleted; afterwards administrators cannot read the project either', async () => {
    for (const state of states) {
      const { id, slug } = await directory.project(state, owner);
      const response = await directory.as(directory.admin, 'DELETE', `/api/admin/projects/${id}`);
      expect(response.status).toBe(200);
      expect(response.body).toEqual({ data: { id, deleted: true } });
      for (const reference of [id, slug]) {
        expect(await directory.get(`/api/projects/${reference}`, directory.admin)).toMatchObject(NOT_FOUND);
      }
      expect(await directory.as(directory.admin, 'DELETE', `/api/admin/projects/${id}`)).toMatchObject(NOT_FOUND);
      expect(await edit(id, { deleted_at: null })).toMatchObject(NOT_FOUND);
    }
  });

  it('returns 403 for everyone except administrators', async () => {
    const { id } = await directory.live(owner);
    for (const who of [undefined, stranger, owner]) {
      expect(await directory.as(who, 'DELETE', `/api/admin/projects/${id}`)).toMatchObject(FORBIDDEN);
    }
    expect(await directory.read(id)).toMatchObject({ id });
  });

  it('deletes votes, ratings, comments and slugs, which do not reappear with a new project of the same slug', async () => {
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
});

describe('edit by an administrator', () => {
  it('bypasses ownership, accepts any field and returns the project', async () => {
    const { id } = await directory.project('pending', owner);
    const { slug: other } = await directory.addCategory();
    const body = fullSubmission({ plan: 'premium', categories: [other], pricing_type: 'freemium', status: 'live' });
    expect(await edit(id, body)).toMatchObject({ status: 200, body: { data: { ...body, owner_id: owner.id } } });
    expect(await directory.read(id)).toMatchObject(body);
  });

  it('allows every status transition', async () => {
    const { id } = await directory.submit(owner);
    for (const status of ['live', 'rejected', 'pending', 'rejected', 'live', 'pending', 'live']) {
      expect(await edit(id, { status })).toMatchObject({ status: 200, body: { data: { id, status } } });
    }
    expect(await edit(id, { status: 'all' })).toMatchObject(invalidAt('status'));
    expect(await edit(id, { status: 'deleted' })).toMatchObject(invalidAt('status'));
  });

  it('allows status transitions through the public route too', async () => {
    const { id } = await directory.submit(owner);
    expect(await put(id, { status: 'live' }, directory.admin)).toMatchObject({
      status: 200,
      body: { data: { status: 'live', published_at: TIME } },
    });
    expect(await put(id, { status: 'nonsense' }, directory.admin)).toMatchObject(invalidAt('status'));
  });

  it('ignores counters and fields that the service sets', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.read(id, directory.admin);
    const ignored = {
      id: 'prj_x',
      upvote_count: 7,
      ratings_count: 7,
      views_count: 7,
      created_at: '2001-01-01T00:00:00.000Z',
    };
    expect((await edit(id, ignored)).status).toBe(200);
    expect(await directory.read(id, directory.admin)).toEqual(before);
  });

  it('returns 400 for invalid fields and 409 for a taken slug', async () => {
    const { id } = await directory.live(owner);
    expect(await edit(id, { name: '' })).toMatchObject(invalidAt('name'));
    expect(await edit(id, { plan: 'gold' })).toMatchObject(invalidAt('plan'));
    expect(await edit(id, { categories: ['no-such-category'] })).toMatchObject(invalidAt('categories'));
    expect(await edit(id, { latitude: 1 })).toMatchObject(INVALID);
    expect(await edit(id, { tags: ['a', 1] })).toMatchObject(invalidAt('tags', 1));
    const { slug } = await directory.submit(stranger);
    expect(await edit(id, { slug })).toMatchObject(conflict('SLUG_TAKEN'));
  });

  it('accepts a project without categories', async () => {
    const { id: categoryId, slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug] });
    await directory.adminOk('DELETE', `/api/admin/categories/${categoryId}`);
    expect(await edit(id, { name: 'Without' })).toMatchObject({ status: 200, body: { data: { categories: [] } } });
  });

  it('applies to soft-deleted projects', async () => {
    const { id } = await directory.project('deleted', owner);
    expect(await edit(id, { name: 'Still there' })).toMatchObject({
      status: 200,
      body: { data: { name: 'Still there' } },
    });
  });
});
