import { describe, expect, it } from 'vitest';
import type { Project } from '#contract/projects.ts';
import type { CallAnswer } from '#test/support/client.ts';
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
} from '#test/support/fixtures.ts';
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** Changing and deleting projects: who may do it, in which state, and what becomes of the record. */

let world: TestWorld;
let directory: Directory;
let owner: Person;
let stranger: Person;

withDirectory(async (opened) => {
  ({ world, directory } = opened);
  [owner, stranger] = await Promise.all([person(world), person(world)]);
});

const put = (id: string, body: unknown, who = owner, headers: Record<string, string> = {}) =>
  directory.as(who, 'PUT', `/api/projects/${id}`, body, headers);

const edit = (id: string, body: unknown, headers: Record<string, string> = {}): Promise<CallAnswer> =>
  directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, body, headers);

describe('who may do what', () => {
  type Caller = 'anonymous' | 'stranger' | 'owner' | 'admin';
  const callers: readonly Caller[] = ['anonymous', 'stranger', 'owner', 'admin'];

  interface Verb {
    readonly method: string;
    readonly path: string;
    readonly body?: unknown;
    /** The status per state of the project for anonymous, stranger, owner and admin. */
    readonly expected: Record<State, readonly [number, number, number, number]>;
  }

  const reaction = (done: number): Verb['expected'] => ({
    live: [401, done, done, done],
    pending: [401, 404, 404, 404],
    rejected: [401, 404, 404, 404],
    deleted: [401, 404, 404, 404],
  });

  const verbs: Record<string, Verb> = {
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
      expected: {
        live: [401, 403, 409, 409],
        pending: [401, 404, 409, 409],
        rejected: [401, 404, 200, 200],
        deleted: [401, 404, 404, 409],
      },
    },
    'toggle the upvote of': { method: 'POST', path: '/upvote', expected: reaction(200) },
    upvote: { method: 'PUT', path: '/upvote', expected: reaction(200) },
    'take the upvote from': { method: 'DELETE', path: '/upvote', expected: reaction(200) },
    rate: { method: 'POST', path: '/ratings', body: { rating: 5 }, expected: reaction(200) },
    'take the rating from': { method: 'DELETE', path: '/ratings', expected: reaction(200) },
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

  const cases = Object.entries(verbs).flatMap(([verb, { method, path, body, expected }]) =>
    states.map((state) => ({ verb, state, method, path, body, expected: expected[state] })),
  );

  it.each(cases)('$verb a $state project: $expected', async ({ state, method, path, body, expected }) => {
    const people = { anonymous: undefined, stranger, owner, admin: directory.admin };
    // Whoever is refused changes nothing, so he can share the project with the next one; whoever succeeds has his own.
    let { id } = await directory.project(state, owner);
    for (const [position, caller] of callers.entries()) {
      const answer = await directory.as(people[caller], method, `/api/projects/${id}${path}`, body);
      expect([caller, answer.status]).toEqual([caller, expected[position]]);
      if (answer.status === 401) expect(answer).toMatchObject(UNAUTHORIZED);
      if (answer.status === 403) expect(answer).toMatchObject(FORBIDDEN);
      if (answer.status === 404) expect(answer).toMatchObject(NOT_FOUND);
      if (answer.status === 409) expect(answer).toMatchObject(conflict('INVALID_TRANSITION'));
      if (answer.status < 300 && expected[position + 1]) ({ id } = await directory.project(state, owner));
    }
  });

  it.each(['PUT', 'DELETE'])('%s of a project that does not exist is 404', async (method) => {
    for (const who of [owner, directory.admin]) {
      expect(await directory.as(who, method, `/api/projects/${unique('none')}`, {})).toMatchObject(NOT_FOUND);
    }
    expect(await directory.as(directory.admin, method, `/api/admin/projects/${unique('none')}`, {})).toMatchObject(
      NOT_FOUND,
    );
  });

  it('permission is checked before input: a stranger learns nothing of what is wrong with his body', async () => {
    const { id } = await directory.live(owner);
    expect(await put(id, { name: '' }, stranger)).toMatchObject(FORBIDDEN);
    expect(
      await world.call('PUT', `/api/projects/${id}`, {
        ...{ token: stranger.token, rawBody: 'nonsense', headers: { 'content-type': 'text/plain' } },
      }),
    ).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: '' })).toMatchObject(invalidAt('name'));
  });

  it('a refused change leaves the project as it was', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.read(id, directory.admin);
    await put(id, { name: 'Mine now' }, stranger);
    await directory.as(undefined, 'PUT', `/api/projects/${id}`, { name: 'Mine now' });
    await put(id, { name: 'Live', status: 'live' });
    await put(id, { name: 'Fine', url: 'not fine' });
    expect(await directory.read(id, directory.admin)).toEqual(before);
  });
});

describe('an update by the owner', () => {
  it('answers the whole project and changes nothing but what was sent', async () => {
    const { id } = await directory.live(owner, fullSubmission({ categories: [directory.category] }));
    const before = await directory.read(id, owner);
    const answer = await put(id, { description: 'New words.', tags: ['new'] });
    expect(answer.status).toBe(200);
    const { viewer: _, ...unchanged } = before;
    expect(answer.body).toEqual({ data: { ...unchanged, description: 'New words.', tags: ['new'], updated_at: TIME } });
    expect(dataOf<Project>(answer).updated_at > before.updated_at).toBe(true);
    expect(await directory.read(id)).toMatchObject({ description: 'New words.', tags: ['new'] });
  });

  it('takes every field of a submission', async () => {
    const { id } = await directory.live(owner);
    const { slug: other } = await directory.addCategory();
    const { plan: _, ...body } = fullSubmission({ categories: [other], pricing_type: 'paid' });
    expect(await put(id, body)).toMatchObject({ status: 200, body: { data: body } });
    expect(await directory.read(id, owner)).toMatchObject(body);
  });

  it('keeps a live project live, and a rejected one rejected', async () => {
    for (const state of ['live', 'pending', 'rejected'] as const) {
      const { id } = await directory.project(state, owner);
      expect(await put(id, { name: 'Edited' })).toMatchObject({ status: 200, body: { data: { status: state } } });
    }
  });

  it.each(['live', 'pending', 'rejected', 'nonsense', '', null, 1, {}])('with the status %j is 403', async (status) => {
    const { id } = await directory.live(owner);
    expect(await put(id, { status })).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: 'Edited', status })).toMatchObject(FORBIDDEN);
    expect(await directory.read(id)).not.toMatchObject({ name: 'Edited' });
  });

  it('with a status is 403 before anything else in the body is looked at', async () => {
    const { id } = await directory.live(owner);
    expect(await put(id, { status: 'live', name: '' })).toMatchObject(FORBIDDEN);
  });

  it('ignores plan, counters, owner, dates and unknown fields', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.read(id, owner);
    const answer = await put(id, {
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
    expect(answer.status).toBe(200);
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
    ['categories', ['there-is-none']],
    ['categories', null],
    ['slug', 'Not A Slug'],
    ['tags', 'one'],
    ['long_description', 'x'.repeat(10_001)],
  ])('refuses %s as %j with 400', async (field, value) => {
    const { id } = await directory.live(owner);
    expect(await put(id, { [field]: value })).toMatchObject(invalidAt(field));
  });

  it('empties optional fields with null or an empty string', async () => {
    for (const none of [null, '']) {
      const { id } = await directory.live(owner, fullSubmission({ categories: [directory.category] }));
      const fields = ['long_description', 'logo_url', 'video_url', 'address_city', 'address_country'];
      expect((await put(id, Object.fromEntries(fields.map((field) => [field, none])))).status).toBe(200);
      expect(await directory.read(id)).toMatchObject(Object.fromEntries(fields.map((field) => [field, null])));
    }
  });

  it('is validated as the merged record: coordinates stay together', async () => {
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

  it('is validated as the merged record: who has lost his last category names one with his next change', async () => {
    const { id: categoryId, slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug] });
    await directory.done('DELETE', `/api/admin/categories/${categoryId}`);
    expect((await directory.read(id)).categories).toEqual([]);
    expect(await put(id, { name: 'Without' })).toMatchObject(invalidAt('categories'));
    expect(await put(id, { name: 'With', categories: [directory.category] })).toMatchObject({ status: 200 });
  });

  it('keeps a category that has been deleted meanwhile from being taken', async () => {
    const { id: categoryId, slug } = await directory.addCategory();
    const { id } = await directory.live(owner);
    await directory.done('DELETE', `/api/admin/categories/${categoryId}`);
    expect(await put(id, { categories: [directory.category, slug] })).toMatchObject(invalidAt('categories'));
  });

  it('that changes nothing is 200 and leaves tag and time alone', async () => {
    const { id } = await directory.live(owner);
    const before = await directory.get(`/api/projects/${id}`, owner);
    const { name } = dataOf<Project>(before);
    const answer = await put(id, { name });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('etag')).toBe(before.headers.get('etag'));
    expect(dataOf<Project>(answer).updated_at).toBe(dataOf<Project>(before).updated_at);
  });
});

describe('a changed slug', () => {
  it('keeps answering under the old one', async () => {
    const { id, slug } = await directory.live(owner);
    const next = unique('next');
    expect(await put(id, { slug: next })).toMatchObject({ status: 200, body: { data: { slug: next } } });
    for (const reference of [slug, next]) expect(await directory.read(reference)).toMatchObject({ id, slug: next });
  });

  it('that belongs to another project, now or from earlier, is 409 and changes nothing', async () => {
    const other = await directory.live(stranger);
    const now = unique('now');
    await put(other.id, { slug: now }, stranger);
    const { id, slug } = await directory.live(owner);
    for (const taken of [other.slug, now]) {
      expect(await put(id, { slug: taken, name: 'Renamed' })).toMatchObject(conflict('SLUG_TAKEN'));
    }
    expect(await put(id, { slug: 'map' })).toMatchObject(conflict('SLUG_TAKEN'));
    expect(await directory.read(id)).toMatchObject({ slug });
    expect(await directory.read(id)).not.toMatchObject({ name: 'Renamed' });
  });

  it('may go back to an earlier one of the same project', async () => {
    const { id, slug } = await directory.live(owner);
    const next = unique('next');
    await put(id, { slug: next });
    expect(await put(id, { slug })).toMatchObject({ status: 200, body: { data: { slug } } });
    expect(await directory.read(next)).toMatchObject({ id, slug });
  });

  it('does not change when it is sent empty', async () => {
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

  it('with the current tag is taken, with a stale one 412 STALE, and nothing is written', async () => {
    const { id } = await directory.live(owner);
    const tag = await tagOf(id);
    expect(tag).toMatch(/^"[^"]+"$/);
    const first = await put(id, { name: 'First' }, owner, { 'if-match': tag });
    expect(first.status).toBe(200);
    expect(first.headers.get('etag')).toBe(await tagOf(id));
    expect(first.headers.get('etag')).not.toBe(tag);
    const second = await put(id, { name: 'Second' }, owner, { 'if-match': tag });
    expect({ status: second.status, body: second.body }).toEqual(STALE);
    expect(await directory.read(id)).toMatchObject({ name: 'First' });
    expect(await edit(id, { name: 'Third' }, { 'if-match': tag })).toMatchObject(STALE);
    expect(await edit(id, { name: 'Third' }, { 'if-match': await tagOf(id) })).toMatchObject({ status: 200 });
  });

  it('takes *, one of several, and nothing at all', async () => {
    const { id } = await directory.live(owner);
    const tag = await tagOf(id);
    expect((await put(id, { name: 'One' }, owner, { 'if-match': `"other", ${tag}` })).status).toBe(200);
    expect((await put(id, { name: 'Two' }, owner, { 'if-match': '*' })).status).toBe(200);
    expect((await put(id, { name: 'Three' })).status).toBe(200);
    expect(await put(id, { name: 'Four' }, owner, { 'if-match': '"nonsense"' })).toMatchObject(STALE);
  });

  it('votes, ratings and comments do not make a tag stale', async () => {
    const { id } = await directory.live(owner);
    const tag = await tagOf(id);
    await directory.as(stranger, 'PUT', `/api/projects/${id}/upvote`);
    await directory.as(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 1 });
    await directory.as(stranger, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' });
    expect(await tagOf(id)).toBe(tag);
    expect((await put(id, { name: 'Fine' }, owner, { 'if-match': tag })).status).toBe(200);
  });

  it('the tag is the same for every caller and encoding', async () => {
    const { id } = await directory.live(owner, { long_description: 'words '.repeat(500) });
    const tags = await Promise.all([
      tagOf(id),
      tagOf(id, owner),
      tagOf(id, stranger),
      tagOf(id, directory.admin),
      ...['gzip', 'br', 'identity'].map(async (encoding) => {
        const answer = await fetch(`${world.url}/api/projects/${id}`, { headers: { 'accept-encoding': encoding } });
        await answer.arrayBuffer();
        return answer.headers.get('etag');
      }),
    ]);
    expect(new Set(tags).size).toBe(1);
  });

  it('comes after permission and input', async () => {
    const { id } = await directory.live(owner);
    const stale = { 'if-match': '"stale"' };
    expect(await put(id, { name: 'x' }, stranger, stale)).toMatchObject(FORBIDDEN);
    expect(await put(id, { name: '' }, owner, stale)).toMatchObject(INVALID);
    expect(await put(id, { latitude: 1 }, owner, stale)).toMatchObject(INVALID);
    expect(await put(unique('none'), { name: 'x' }, owner, stale)).toMatchObject(NOT_FOUND);
    expect(await put(id, { categories: ['there-is-none'] }, owner, stale)).toMatchObject(invalidAt('categories'));
  });

  it('comes before the work', async () => {
    const { id } = await directory.live(owner);
    const { slug: taken } = await directory.live(owner);
    for (const slug of [taken, 'map']) {
      expect(await put(id, { slug }, owner, { 'if-match': '"stale"' })).toMatchObject(STALE);
    }
  });
});

describe('a soft delete', () => {
  it('answers id and deleted_at, and 404 from then on to everybody but administrators', async () => {
    const { id, slug } = await directory.live(owner);
    const answer = await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({ data: { id, deleted_at: TIME } });
    for (const who of [undefined, owner, stranger]) {
      for (const reference of [id, slug]) {
        expect(await directory.get(`/api/projects/${reference}`, who)).toMatchObject(NOT_FOUND);
      }
    }
    expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
    expect(await directory.as(directory.admin, 'DELETE', `/api/projects/${id}`)).toMatchObject(NOT_FOUND);
    expect(await directory.read(id, directory.admin)).toMatchObject(dataOf<object>(answer));
  });

  it('keeps the status that the project had', async () => {
    for (const state of ['live', 'pending', 'rejected'] as const) {
      const { id } = await directory.project(state, owner);
      await directory.as(owner, 'DELETE', `/api/projects/${id}`);
      expect(await directory.read(id, directory.admin)).toMatchObject({ status: state, deleted_at: TIME });
    }
  });

  it('takes the project out of the lists, the map and the submissions', async () => {
    const { slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug], latitude: 1, longitude: 1 });
    await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    expect(metaOf(await directory.get(`/api/projects?category=${slug}`)).total).toBe(0);
    const { items } = (await directory.get('/api/projects/map')).body as { items: { id: string }[] };
    expect(items.map((item) => item.id)).not.toContain(id);
    expect(idsOf(await directory.get('/api/me/submissions?limit=100', owner))).not.toContain(id);
    expect(dataOf(await directory.get(`/api/categories/${slug}`))).toMatchObject({ project_count: 0 });
  });

  it('is also made by an administrator with deleted_at, and undone with null', async () => {
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

  it('loses no votes, ratings and comments when it is undone', async () => {
    const { id } = await directory.live(owner);
    await directory.as(stranger, 'PUT', `/api/projects/${id}/upvote`);
    await directory.as(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 4 });
    await directory.as(stranger, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' });
    const before = await directory.read(id, stranger);
    await directory.as(owner, 'DELETE', `/api/projects/${id}`);
    await edit(id, { deleted_at: null });
    expect(await directory.read(id, stranger)).toEqual({ ...before, updated_at: TIME });
    expect(metaOf(await directory.get(`/api/projects/${id}/comments`)).total).toBe(1);
  });
});

describe('a hard delete', () => {
  it('answers id and deleted, and the project is gone for administrators too', async () => {
    for (const state of states) {
      const { id, slug } = await directory.project(state, owner);
      const answer = await directory.as(directory.admin, 'DELETE', `/api/admin/projects/${id}`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ data: { id, deleted: true } });
      for (const reference of [id, slug]) {
        expect(await directory.get(`/api/projects/${reference}`, directory.admin)).toMatchObject(NOT_FOUND);
      }
      expect(await directory.as(directory.admin, 'DELETE', `/api/admin/projects/${id}`)).toMatchObject(NOT_FOUND);
      expect(await edit(id, { deleted_at: null })).toMatchObject(NOT_FOUND);
    }
  });

  it('is for administrators only', async () => {
    const { id } = await directory.live(owner);
    for (const who of [undefined, stranger, owner]) {
      expect(await directory.as(who, 'DELETE', `/api/admin/projects/${id}`)).toMatchObject(FORBIDDEN);
    }
    expect(await directory.read(id)).toMatchObject({ id });
  });

  it('takes votes, ratings, comments and slugs along, and nothing of them comes back with the slug', async () => {
    const { id, slug } = await directory.live(owner);
    await directory.as(stranger, 'PUT', `/api/projects/${id}/upvote`);
    await directory.as(stranger, 'POST', `/api/projects/${id}/ratings`, { rating: 4 });
    const comment = await directory.as(stranger, 'POST', `/api/projects/${id}/comments`, { content: 'Hello.' });
    const { id: commentId } = dataOf<{ id: string }>(comment);
    await directory.done('DELETE', `/api/admin/projects/${id}`);
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

describe("an administrator's edit", () => {
  it('bypasses ownership, takes any field and answers the project', async () => {
    const { id } = await directory.project('pending', owner);
    const { slug: other } = await directory.addCategory();
    const body = fullSubmission({ plan: 'premium', categories: [other], pricing_type: 'freemium', status: 'live' });
    expect(await edit(id, body)).toMatchObject({ status: 200, body: { data: { ...body, owner_id: owner.id } } });
    expect(await directory.read(id)).toMatchObject(body);
  });

  it('moves the status from anywhere to anywhere', async () => {
    const { id } = await directory.submit(owner);
    for (const status of ['live', 'rejected', 'pending', 'rejected', 'live', 'pending', 'live']) {
      expect(await edit(id, { status })).toMatchObject({ status: 200, body: { data: { id, status } } });
    }
    expect(await edit(id, { status: 'all' })).toMatchObject(invalidAt('status'));
    expect(await edit(id, { status: 'deleted' })).toMatchObject(invalidAt('status'));
  });

  it('moves the status through the public route too', async () => {
    const { id } = await directory.submit(owner);
    expect(await put(id, { status: 'live' }, directory.admin)).toMatchObject({
      status: 200,
      body: { data: { status: 'live', published_at: TIME } },
    });
    expect(await put(id, { status: 'nonsense' }, directory.admin)).toMatchObject(invalidAt('status'));
  });

  it('ignores counters and what only the service knows', async () => {
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

  it('is validated like every other change', async () => {
    const { id } = await directory.live(owner);
    expect(await edit(id, { name: '' })).toMatchObject(invalidAt('name'));
    expect(await edit(id, { plan: 'gold' })).toMatchObject(invalidAt('plan'));
    expect(await edit(id, { categories: ['there-is-none'] })).toMatchObject(invalidAt('categories'));
    expect(await edit(id, { latitude: 1 })).toMatchObject(INVALID);
    expect(await edit(id, { tags: ['a', 1] })).toMatchObject(invalidAt('tags', 1));
    const { slug } = await directory.submit(stranger);
    expect(await edit(id, { slug })).toMatchObject(conflict('SLUG_TAKEN'));
  });

  it('takes a project that has lost its last category', async () => {
    const { id: categoryId, slug } = await directory.addCategory();
    const { id } = await directory.live(owner, { categories: [slug] });
    await directory.done('DELETE', `/api/admin/categories/${categoryId}`);
    expect(await edit(id, { name: 'Without' })).toMatchObject({ status: 200, body: { data: { categories: [] } } });
  });

  it('reaches soft-deleted projects', async () => {
    const { id } = await directory.project('deleted', owner);
    expect(await edit(id, { name: 'Still there' })).toMatchObject({
      status: 200,
      body: { data: { name: 'Still there' } },
    });
  });
});
