import { expect, it } from 'vitest';
import type { Draft } from '#contract/drafts.ts';
import { draftKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import {
  conflict,
  dataOf,
  fullSubmission,
  INVALID,
  idOf,
  idsOf,
  invalidAt,
  metaOf,
  NOT_FOUND,
  type Person,
  person,
  STALE,
  submission,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { chooseOutcome, startPremium } from '#test/support/payments.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();

const DRAFTS = '/api/me/drafts';
const valid = (fields = {}) => submission({ categories: [directory.category], ...fields });

const save = async (user: Person, content: object = valid()): Promise<Draft> =>
  dataOf(await directory.ok(user, 'POST', DRAFTS, { content }, 201));

const submit = (user: Person, fields: object) => directory.as(user, 'POST', '/api/projects', valid(fields));

it('a draft keeps any part of a submission as it was sent and drops other members', async () => {
  const user = await person(server);
  const odd = { name: '  ', url: 7, tags: { a: [null, '\ud800', 1e200] }, plan: null };
  const draft = await save(user, { ...odd, status: 'live', draft_id: 'dft_1', nonsense: 1 });
  expect(draft).toEqual({
    id: idOf('dft'),
    content: odd,
    problems: expect.objectContaining({ name: { _errors: ['must not be empty'] } }) as unknown,
    created_at: TIME,
    updated_at: draft.created_at,
    expires_at: new Date(Date.parse(draft.created_at) + 90 * 86_400_000).toISOString(),
  });
  expect((await directory.get(`${DRAFTS}/${draft.id}`, user)).body).toEqual({ data: draft });
  const complete = fullSubmission({ categories: [directory.category] });
  expect(await save(user, complete)).toMatchObject({ content: complete, problems: null });
});

it.each([
  ['a missing field', () => ({ name: undefined })],
  ['an unknown category', () => ({ categories: ['no-such-category'] })],
  ['several invalid fields', () => ({ latitude: 91, pricing_type: 'gift' })],
])('the problems of a draft are the details of its submission: %s', async (_, fields) => {
  const user = await person(server);
  const content = valid(fields());
  const refused = await directory.as(user, 'POST', '/api/projects', content);
  expect(refused).toMatchObject(INVALID);
  expect((await save(user, content)).problems).toEqual((refused.body as { details: unknown }).details);
});

it('a taken or reserved slug is a problem of the field until it is free', async () => {
  const user = await person(server);
  const taken = await directory.submit(user);
  const draft = await save(user, valid({ slug: taken.slug }));
  expect(draft.problems).toMatchObject({ slug: { _errors: [expect.stringContaining(taken.slug)] } });
  expect((await save(user, valid({ slug: 'admin' }))).problems).toMatchObject({
    slug: { _errors: [expect.any(String)] },
  });
  await directory.adminOk('DELETE', `/api/admin/projects/${taken.id}`);
  expect(dataOf<Draft>(await directory.get(`${DRAFTS}/${draft.id}`, user)).problems).toBeNull();
});

it('drafts are listed last changed first, replaced with If-Match and deleted', async () => {
  const user = await person(server);
  const [first, second] = [await save(user), await save(user)];
  const path = `${DRAFTS}/${first.id}`;
  const read = await directory.get(path, user);
  const content = { name: 'Changed' };
  const etag = read.headers.get('etag') ?? '';
  const changed = await directory.as(user, 'PUT', path, { content }, { 'if-match': etag });
  expect(changed).toMatchObject(success({ id: first.id, content, created_at: first.created_at }));
  expect(await directory.as(user, 'PUT', path, { content }, { 'if-match': etag })).toMatchObject(STALE);
  const listed = await directory.get(`${DRAFTS}?limit=1`, user);
  expect(idsOf(listed)).toEqual([first.id]);
  expect(metaOf(listed)).toEqual({ total: 2, page: 1, pageSize: 1, hasMore: true });
  expect(idsOf(await directory.get(`${DRAFTS}?limit=1&page=2`, user))).toEqual([second.id]);
  expect(await directory.as(user, 'DELETE', path)).toMatchObject(success({ id: first.id, deleted: true }));
  for (const [method, body] of [['GET'], ['PUT', { content }], ['DELETE']] as const)
    expect(await directory.as(user, method, path, body)).toMatchObject(NOT_FOUND);
});

it('a draft is 404 for other users and administrators, and no draft of theirs for a submission', async () => {
  const { id } = await save(await person(server));
  const other = await person(server);
  for (const reader of [other, directory.admin]) {
    expect(await directory.get(`${DRAFTS}/${id}`, reader)).toMatchObject(NOT_FOUND);
    expect(await directory.as(reader, 'PUT', `${DRAFTS}/${id}`, { content: {} })).toMatchObject(NOT_FOUND);
    expect(await directory.as(reader, 'DELETE', `${DRAFTS}/${id}`)).toMatchObject(NOT_FOUND);
    expect(idsOf(await directory.get(DRAFTS, reader))).not.toContain(id);
  }
  expect(await submit(other, { draft_id: id })).toMatchObject(invalidAt('draft_id'));
  expect(await submit(other, { draft_id: id, plan: 'premium' })).toMatchObject(invalidAt('draft_id'));
  expect(await submit(other, { draft_id: 'nonsense' })).toMatchObject(invalidAt('draft_id'));
});

longTest('of concurrent drafts and more than 20 no more than 20 are stored', async () => {
  const user = await person(server);
  const responses = await Promise.all(
    Array.from({ length: 23 }, () => directory.as(user, 'POST', DRAFTS, { content: {} })),
  );
  expect(responses.filter(({ status }) => status === 201)).toHaveLength(20);
  for (const refused of responses.filter(({ status }) => status !== 201))
    expect(refused).toMatchObject(conflict('LIMIT_REACHED'));
  await directory.ok(user, 'DELETE', `${DRAFTS}/${idsOf(await directory.get(DRAFTS, user))[0]}`);
  await save(user);
});

it('a draft has at most 64 KB of JSON', async () => {
  const user = await person(server);
  const content = (length: number) => ({ content: { long_description: 'x'.repeat(length) } });
  await directory.ok(user, 'POST', DRAFTS, content(65_536 - '{"long_description":""}'.length), 201);
  expect(await directory.as(user, 'POST', DRAFTS, content(65_536))).toMatchObject(invalidAt('content'));
});

it('a draft is gone 90 days after its last change', async () => {
  const user = await person(server);
  const { id } = await save(user);
  const updated_at = new Date(Date.now() - 90 * 86_400_000).toISOString();
  await updateItem(draftKey(user.id, id), { set: { updated_at } });
  expect(await directory.get(`${DRAFTS}/${id}`, user)).toMatchObject(NOT_FOUND);
  expect(idsOf(await directory.get(DRAFTS, user))).toEqual([]);
});

it('a submission deletes its draft once, and a failed one keeps it', async () => {
  const user = await person(server);
  const { id } = await save(user);
  expect(await submit(user, { draft_id: id, slug: 'admin' })).toMatchObject(conflict('SLUG_TAKEN'));
  expect(await directory.get(`${DRAFTS}/${id}`, user)).toMatchObject({ status: 200 });
  const both = await Promise.all([submit(user, { draft_id: id }), submit(user, { draft_id: id })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
  expect(await directory.get(`${DRAFTS}/${id}`, user)).toMatchObject(NOT_FOUND);
  expect(await submit(user, { draft_id: id })).toMatchObject(invalidAt('draft_id'));
  expect(await submit(user, { draft_id: null })).toMatchObject({ status: 201 });
});

it('a premium submission deletes its draft when it is paid', async () => {
  const user = await person(server);
  const { id } = await save(user);
  const { checkout_id } = await startPremium(directory, user, { draft_id: id });
  expect(await directory.get(`${DRAFTS}/${id}`, user)).toMatchObject({ status: 200 });
  await chooseOutcome(directory, checkout_id, 'paid');
  expect(await directory.get(`${DRAFTS}/${id}`, user)).toMatchObject(NOT_FOUND);
  expect(metaOf(await directory.get('/api/me/submissions', user)).total).toBe(1);
});

it('an export contains the drafts', async () => {
  const user = await person(server);
  const { id, content, created_at } = await save(user, { name: unique('unfinished') });
  const { drafts } = dataOf<{ drafts: unknown }>(await directory.ok(user, 'GET', '/api/user/export'));
  expect(drafts).toEqual([{ id, user_id: user.id, content, created_at, updated_at: created_at }]);
});
