import { beforeAll, describe, expect, it } from 'vitest';
import type { CollectionWithProjects } from '#contract/collections.ts';
import type { Draft } from '#contract/drafts.ts';
import type { Project } from '#contract/projects.ts';
import type { ShownPromotion } from '#contract/promotions.ts';
import type { ReportGroup } from '#contract/reports.ts';
import type { QueuedRevision, Revision } from '#contract/revisions.ts';
import { insertPromotion } from '#data/promotions.ts';
import { bytesInResponse, RESPONSE_BYTES_MAX } from '#model/response-size.ts';
import { now } from '#platform/clock.ts';
import { newId } from '#platform/ids.ts';
import { mapConcurrently } from '#platform/map-concurrently.ts';
import { dataOf, invalidAt, type Person, person, submission, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Lists of more of the largest listings than a response holds. */

const { server, directory } = await ownDirectory({ env: { LIVE_EDITS: 'review' } });

const LISTINGS = 48;
const address = (name: string): string => `https://${name}.example/${'🦊'.repeat(2000)}`;

/** All texts at their limits. Their characters take four bytes in a response. */
const content = (at: number) => ({
  name: `${'🦊'.repeat(90)} ${at}`,
  description: '🦊'.repeat(500),
  long_description: '"'.repeat(10_000),
  url: address(unique('url')),
  logo_url: address('logo'),
  video_url: address('video'),
  screenshots: Array.from({ length: 10 }, (_, position) => address(`s${position}`)),
  tags: Array.from({ length: 10 }, (_, position) => `${'🦊'.repeat(38)}${position}`),
  address_city: '🦊'.repeat(100),
  address_country: '🦊'.repeat(100),
  fields: { story: '🦊'.repeat(4000) },
});

let owner: Person;
let ids: readonly string[];

beforeAll(async () => {
  await directory.adminOk('POST', '/api/admin/fields', { key: 'story', type: 'long_text', label: 'Story' }, 201);
  owner = await person(server);
  const positions = Array.from({ length: LISTINGS }, (_, at) => at);
  const { results } = await mapConcurrently(positions, async (at) => {
    const { id } = await directory.live(owner, content(at));
    await directory.ok(owner, 'PUT', `/api/projects/${id}/bookmark`);
    return id;
  });
  ids = results;
});

/** The content of a response, which is not too large. */
const read = async <T>(path: string, reader?: Person): Promise<T> => {
  const response = await directory.ok(reader, 'GET', path);
  expect(bytesInResponse(JSON.stringify(response.body))).toBeLessThan(RESPONSE_BYTES_MAX);
  return dataOf<T>(response);
};

const whole = {
  long_description: '"'.repeat(10_000),
  logo_url: address('logo'),
  screenshots: Array.from({ length: 10 }, (_, position) => address(`s${position}`)),
};

const lists: readonly (readonly [string, reader: () => Person | undefined, path: string])[] = [
  ['of visitors', () => undefined, '/api/projects?sort=newest'],
  [
    'of a search',
    () => undefined,
    `/api/projects?q=${encodeURIComponent('🦊')}&highlight=true&match=substring&facets=tag`,
  ],
  ['of administrators', () => directory.admin, '/api/admin/projects?sort=trending&explain=true'],
  ['of own submissions', () => owner, '/api/me/submissions?page=1'],
  ['of bookmarks', () => owner, '/api/me/bookmarks?page=1'],
];

describe.each(lists)('the list %s', (_, reader, path) => {
  it('has all listings on one page, which say that they are cut', async () => {
    const listed = await read<Project[]>(`${path}&limit=100`, reader());
    expect(listed.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    for (const { url, ...project } of listed) {
      expect(project).toMatchObject({ description: '🦊'.repeat(500), screenshots: [], truncated: true });
      expect(whole.long_description.startsWith(project.long_description ?? '')).toBe(true);
      expect(url).toContain('🦊'.repeat(2000));
    }
  });

  it('has them whole on a page that holds them', async () => {
    const [listed] = await read<Project[]>(`${path}&limit=1`, reader());
    expect(listed).toMatchObject(whole);
    expect(listed?.fields).toEqual({ story: '🦊'.repeat(4000) });
    expect(listed).not.toHaveProperty('truncated');
  });
});

it('a small listing stays whole between large ones', async () => {
  const { id } = await directory.live(owner, { long_description: 'Short.', screenshots: [address('s')] });
  const listed = await read<Project[]>('/api/projects?limit=100');
  expect(listed.find((one) => one.id === id)).toEqual(await read<Project>(`/api/projects/${id}`));
  expect(listed.filter(({ truncated }) => truncated)).toHaveLength(LISTINGS);
  await directory.ok(directory.admin, 'DELETE', `/api/projects/${id}`);
});

it('a collection has all of its projects, in its order', async () => {
  const project_ids = ids.toReversed();
  const body = { title: 'Large ones', is_public: true, project_ids };
  const { slug } = dataOf<{ slug: string }>(await directory.adminOk('POST', '/api/admin/collections', body, 201));
  for (const reader of [undefined, directory.admin]) {
    const { projects } = await read<CollectionWithProjects>(`/api/collections/${slug}`, reader);
    expect(projects.map(({ id }) => id)).toEqual(project_ids);
    for (const project of projects) expect(project).toMatchObject({ description: '🦊'.repeat(500), truncated: true });
  }
});

it('the promotions have all their listings', async () => {
  const starts_at = now();
  const dates = { starts_at, ends_at: new Date(Date.parse(starts_at) + 86_400_000).toISOString(), months: 1 };
  const sold = { price: 1900, currency: 'usd', checkout_id: newId('chk'), cta_text: null, reason: null, version: 1 };
  for (const project_id of ids) {
    const own = { id: newId('prm'), project_id, user_id: owner.id, created_at: starts_at };
    await insertPromotion({ ...own, placements: ['detail'], status: 'active', ...dates, ...sold }, {}, []);
  }
  const promotions = await read<ShownPromotion[]>('/api/promotions?limit=100');
  expect(promotions.map(({ project }) => project.id).toSorted()).toEqual(ids.toSorted());
  for (const { project } of promotions) expect(project.truncated).toBe(true);
});

longTest('the reports of all listings are on one page, the newest of each', async () => {
  const reason = '🦊'.repeat(1000);
  const reporters = await Promise.all(Array.from({ length: 10 }, () => person(server)));
  for (const reporter of reporters) {
    await mapConcurrently(ids, async (id) => {
      const body = { reason, details: '🦊'.repeat(2000) };
      await directory.ok(reporter, 'POST', `/api/projects/${id}/report`, body, 201);
    });
  }
  const groups = await read<ReportGroup[]>('/api/admin/reports?group=project&limit=100', directory.admin);
  expect(groups.map(({ project }) => project.id).toSorted()).toEqual(ids.toSorted());
  for (const { count, reports } of groups) {
    expect(count).toBe(reporters.length);
    expect(reports.length).toBeGreaterThan(0);
    expect(reports.map(({ user_id }) => user_id)).toEqual(
      reporters
        .toReversed()
        .slice(0, reports.length)
        .map(({ id }) => id),
    );
  }
});

it('a body with thousands of wrong values is answered with the first hundred', async () => {
  const wrong = { categories: Array.from({ length: 20_000 }, () => '') };
  const response = await directory.ok(owner, 'POST', '/api/me/drafts', { content: wrong }, 201);
  const { categories, _errors } = dataOf<Draft>(response).problems as { categories: object; _errors: string[] };
  expect(Object.keys(categories).length).toBeLessThanOrEqual(101);
  expect(_errors).toEqual([expect.stringMatching(/^must be corrected in 19905 more places$/)]);
  const refused = await directory.as(owner, 'POST', '/api/projects', { ...submission(), ...wrong });
  expect(refused).toMatchObject(invalidAt('categories', '99'));
  expect(JSON.stringify(refused.body).length).toBeLessThan(10_000);
});

it('the edits that wait are all listed, and the listing has the values that the list cuts', async () => {
  const edit = { long_description: '\n'.repeat(10_000).replace(/^\n|\n$/g, '-'), screenshots: [address('new')] };
  const edited = ids;
  await mapConcurrently(edited, async (id) => await directory.ok(owner, 'PUT', `/api/projects/${id}`, edit));
  const listed = await read<QueuedRevision[]>('/api/admin/revisions?limit=100', directory.admin);
  expect(listed.map(({ project }) => project.id).toSorted()).toEqual(edited.toSorted());
  for (const { id, project, changes } of listed) {
    expect(changes.map(({ field, truncated }) => [field, truncated])).toEqual([
      ['long_description', true],
      ['screenshots', true],
    ]);
    const [text] = changes;
    expect(edit.long_description.startsWith(String(text?.after))).toBe(true);
    expect(String(text?.after).length).toBeGreaterThan(100);
    if (project.id !== edited[0]) continue;
    const { pending_revision } = await read<Project>(`/api/projects/${project.id}`, directory.admin);
    expect(pending_revision?.id).toBe(id);
    expect(pending_revision?.changes).toContainEqual({
      field: 'long_description',
      before: whole.long_description,
      after: edit.long_description,
    });
  }
  const [id] = edited;
  const own = await read<Project[]>('/api/me/submissions?limit=100', owner);
  expect(own.find((one) => one.id === id)).toMatchObject({ pending_revision: { changes: [] }, truncated: true });
  const [alone] = await read<QueuedRevision[]>(`/api/admin/revisions?project=${id}`, directory.admin);
  expect(alone?.changes.some(({ truncated }) => truncated)).toBe(false);
});

longTest('the history of a listing has all its changes whole, on pages of fewer', async () => {
  const { id } = await directory.live(owner, content(0));
  for (let at = 0; at < 30; at += 1) {
    const long_description = `${at}${'🦊'.repeat(9000)}`;
    const screenshots = [address(`n${at}`), ...whole.screenshots.slice(1)];
    await directory.adminOk('PUT', `/api/admin/projects/${id}`, { long_description, screenshots });
  }
  const texts: unknown[] = [];
  let pages = 0;
  for (let after: string | null = ''; after !== null; pages += 1) {
    const next = after === '' ? '' : `&after=${after}`;
    const response = await directory.ok(owner, 'GET', `/api/projects/${id}/revisions?limit=100${next}`);
    expect(bytesInResponse(JSON.stringify(response.body))).toBeLessThan(RESPONSE_BYTES_MAX);
    const edits = dataOf<Revision[]>(response).filter(({ cause }) => cause === 'moderated');
    const changes = edits.flatMap((one) => one.changes).filter(({ field }) => field === 'long_description');
    texts.push(...changes.map(({ after: text }) => text));
    after = (response.body as { meta: { nextAfter: string | null } }).meta.nextAfter;
  }
  expect(pages).toBeGreaterThan(1);
  expect(texts).toEqual(Array.from({ length: 30 }, (_, at) => `${29 - at}${'🦊'.repeat(9000)}`));
});

it('a listing as a list has cut it is not taken for a change', async () => {
  const [listed] = await read<Project[]>('/api/me/submissions?limit=100', owner);
  expect(listed?.truncated).toBe(true);
  const before = await read<Project>(`/api/projects/${listed?.id}`, owner);
  for (const [reader, path] of [
    [owner, '/api/projects'],
    [directory.admin, '/api/admin/projects'],
  ] as const) {
    const response = await directory.as(reader, 'PUT', `${path}/${listed?.id}`, listed);
    expect(response).toMatchObject(invalidAt('truncated'));
  }
  expect(await read<Project>(`/api/projects/${listed?.id}`, owner)).toEqual(before);
});

it('a project and a list name ten of many projects with the same URL', async () => {
  const url = `https://${unique('placeholder')}.example/`;
  const rows = Array.from({ length: 150 }, (_, at) => [`Row ${at}`, url]);
  const mapping = { columns: { name: 'name', url: 'url' }, defaults: { status: 'pending', description: 'A row.' } };
  expect(await importFile(server, directory.admin.token, csv(['name', 'url'], ...rows), mapping)).toMatchObject({
    created: rows.length,
  });
  const listed = await read<Project[]>('/api/admin/projects?status=pending&limit=100&sort=oldest', directory.admin);
  const rest = await read<Project[]>(
    '/api/admin/projects?status=pending&limit=100&sort=oldest&page=2',
    directory.admin,
  );
  const all = [...listed, ...rest].map(({ id }) => id);
  for (const { id, possible_duplicates = [] } of listed) {
    expect(possible_duplicates).toHaveLength(10);
    expect(possible_duplicates).toEqual(all.filter((one) => one !== id && possible_duplicates.includes(one)));
  }
  const { id, possible_duplicates } = await read<Project>(`/api/projects/${all.at(-1)}`, directory.admin);
  expect(possible_duplicates).toEqual(all.filter((one) => one !== id).slice(0, 10));
});
