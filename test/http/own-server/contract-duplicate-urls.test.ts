import { expect, it } from 'vitest';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  type Directory,
  dataOf,
  metaOf,
  type Person,
  person,
  type Submitted,
  submission,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import type { TestServer } from '#test/support/server.ts';
import { withOwnServer } from '#test/support/with-directory.ts';

/** Unique URLs: `DUPLICATE_URLS=reject`. */

const DUPLICATE = conflict('DUPLICATE_URL');

let server: TestServer;
let directory: Directory;
let owner: Person;
let other: Person;

withOwnServer(
  async (opened) => {
    ({ server, directory } = opened);
    [owner, other] = await Promise.all([person(server), person(server)]);
  },
  { env: { DUPLICATE_URLS: 'reject' } },
);

const host = () => `${unique('once')}.example.com`;

const submit = (url: string, who = other, fields: Record<string, unknown> = {}): Promise<CallResponse> =>
  directory.as(who, 'POST', '/api/projects', submission({ categories: [directory.category], url, ...fields }));

it('returns 409 for a second project with the same canonical URL and stores nothing', async () => {
  const name = host();
  await directory.submit(owner, { url: `https://${name}/page` });
  const before = metaOf(await directory.get('/api/me/submissions', other)).total;
  for (const url of [
    `https://${name}/page`,
    `http://www.${name.toUpperCase()}:80/page/?utm_source=x#top`,
    `https://${name}:443/page?fbclid=1`,
  ]) {
    expect(await submit(url)).toMatchObject(DUPLICATE);
  }
  expect(metaOf(await directory.get('/api/me/submissions', other)).total).toBe(before);
  expect(await submit(`https://${name}/other`)).toMatchObject({ status: 201 });
});

it('returns 409 for the same owner too, whatever the status of the first project', async () => {
  for (const state of ['live', 'pending', 'rejected'] as const) {
    const url = `https://${host()}`;
    await directory.project(state, owner, { url });
    expect(await submit(url, owner)).toMatchObject(DUPLICATE);
  }
});

longTest('accepts one of two concurrent submissions', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = host();
    const responses = await Promise.all([submit(`https://${name}`), submit(`https://www.${name}/`, owner)]);
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409]);
    expect(responses.find((response) => response.status === 409)).toMatchObject(DUPLICATE);
  }
});

it('does not reserve the slug of a rejected submission', async () => {
  const url = `https://${host()}`;
  const slug = unique('free');
  await directory.submit(owner, { url });
  expect(await submit(url, other, { slug })).toMatchObject(DUPLICATE);
  expect(await submit(`https://${host()}`, other, { slug })).toMatchObject({ status: 201, body: { data: { slug } } });
});

it('returns 409 when an owner or an administrator changes the URL to that of another project', async () => {
  const url = `https://${host()}`;
  await directory.submit(owner, { url });
  const { id } = await directory.submit(other);
  expect(await directory.as(other, 'PUT', `/api/projects/${id}`, { url: `${url}/#x` })).toMatchObject(DUPLICATE);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { url })).toMatchObject(DUPLICATE);
  expect(await directory.as(other, 'PUT', `/api/projects/${id}`, { name: 'Same address' })).toMatchObject({
    status: 200,
  });
});

it('accepts a change to another spelling of the same URL', async () => {
  const name = host();
  const { id } = await directory.submit(owner, { url: `https://${name}` });
  expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, { url: `https://www.${name}/` })).toMatchObject({
    status: 200,
  });
  expect(await submit(`https://${name}`)).toMatchObject(DUPLICATE);
});

it('releases the previous URL of a project', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.submit(owner, { url });
  expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, { url: `https://${host()}` })).toMatchObject({
    status: 200,
  });
  expect(await submit(url)).toMatchObject({ status: 201 });
});

it('releases the URL of a deleted project, which cannot be restored while another project has the URL', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.live(owner, { url });
  expect(await directory.as(owner, 'DELETE', `/api/projects/${id}`)).toMatchObject({ status: 200 });
  const second = dataOf<Submitted>(await submit(url));
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null })).toMatchObject(
    DUPLICATE,
  );
  const restore = { action: 'restore', ids: [id] };
  expect(await directory.as(directory.admin, 'POST', '/api/admin/projects/bulk', restore)).toMatchObject({
    body: { data: { results: [{ id, ok: false, code: 'DUPLICATE_URL' }] } },
  });
  await directory.adminOk('DELETE', `/api/admin/projects/${second.id}`);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null })).toMatchObject({
    status: 200,
  });
  expect(await submit(url)).toMatchObject(DUPLICATE);
});

it('enforces uniqueness for URLs of the maximum length', async () => {
  const name = host();
  // Each of these characters takes nine in the canonical URL.
  const url = `https://${name}/${'語'.repeat(2000 - name.length)}`;
  expect(await submit(url)).toMatchObject({ status: 201 });
  expect(await submit(url)).toMatchObject(DUPLICATE);
  expect(await submit(`${url.slice(0, -1)}文`)).toMatchObject({ status: 201 });
});
