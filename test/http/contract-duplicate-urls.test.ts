import { expect, it } from 'vitest';
import type { CallAnswer } from '#test/support/client.ts';
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
import { withDirectory } from '#test/support/with-directory.ts';
import type { TestWorld } from '#test/support/world.ts';

/** A directory that takes every address once: `DUPLICATE_URLS=reject`. */

const DUPLICATE = conflict('DUPLICATE_URL');

let world: TestWorld;
let directory: Directory;
let owner: Person;
let other: Person;

withDirectory(
  async (opened) => {
    ({ world, directory } = opened);
    [owner, other] = await Promise.all([person(world), person(world)]);
  },
  { env: { DUPLICATE_URLS: 'reject' } },
);

const host = () => `${unique('once')}.example.com`;

const submit = (url: string, who = other, fields: Record<string, unknown> = {}): Promise<CallAnswer> =>
  directory.as(who, 'POST', '/api/projects', submission({ categories: [directory.category], url, ...fields }));

it('refuses a second project of the same canonical address with 409 and stores nothing', async () => {
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

it('refuses it to the same owner too, and whatever the status of the first', async () => {
  for (const state of ['live', 'pending', 'rejected'] as const) {
    const url = `https://${host()}`;
    await directory.project(state, owner, { url });
    expect(await submit(url, owner)).toMatchObject(DUPLICATE);
  }
});

it('lets one of two through that come at once', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = host();
    const answers = await Promise.all([submit(`https://${name}`), submit(`https://www.${name}/`, owner)]);
    expect(answers.map((answer) => answer.status).toSorted()).toEqual([201, 409]);
    expect(answers.find((answer) => answer.status === 409)).toMatchObject(DUPLICATE);
  }
});

it('leaves no slug taken by a submission that was refused', async () => {
  const url = `https://${host()}`;
  const slug = unique('free');
  await directory.submit(owner, { url });
  expect(await submit(url, other, { slug })).toMatchObject(DUPLICATE);
  expect(await submit(`https://${host()}`, other, { slug })).toMatchObject({ status: 201, body: { data: { slug } } });
});

it('refuses a change to an address that another project has, by owner and administrator', async () => {
  const url = `https://${host()}`;
  await directory.submit(owner, { url });
  const { id } = await directory.submit(other);
  expect(await directory.as(other, 'PUT', `/api/projects/${id}`, { url: `${url}/#x` })).toMatchObject(DUPLICATE);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { url })).toMatchObject(DUPLICATE);
  expect(await directory.as(other, 'PUT', `/api/projects/${id}`, { name: 'Same address' })).toMatchObject({
    status: 200,
  });
});

it('lets a project change between forms of its own address', async () => {
  const name = host();
  const { id } = await directory.submit(owner, { url: `https://${name}` });
  expect(await directory.as(owner, 'PUT', `/api/projects/${id}`, { url: `https://www.${name}/` })).toMatchObject({
    status: 200,
  });
  expect(await submit(`https://${name}`)).toMatchObject(DUPLICATE);
});

it('frees an address that its project has left', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.submit(owner, { url });
  await directory.as(owner, 'PUT', `/api/projects/${id}`, { url: `https://${host()}` });
  expect(await submit(url)).toMatchObject({ status: 201 });
});

it('frees the address of a deleted project, and does not restore that one while the address is taken', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.live(owner, { url });
  await directory.as(owner, 'DELETE', `/api/projects/${id}`);
  const second = dataOf<Submitted>(await submit(url));
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null })).toMatchObject(
    DUPLICATE,
  );
  const restore = { action: 'restore', ids: [id] };
  expect(await directory.as(directory.admin, 'POST', '/api/admin/projects/bulk', restore)).toMatchObject({
    body: { data: { results: [{ id, ok: false, code: 'DUPLICATE_URL' }] } },
  });
  await directory.done('DELETE', `/api/admin/projects/${second.id}`);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null })).toMatchObject({
    status: 200,
  });
  expect(await submit(url)).toMatchObject(DUPLICATE);
});

it('takes an address of any length that the contract allows, once', async () => {
  const name = host();
  // Each of these letters is nine characters of the canonical address.
  const url = `https://${name}/${'語'.repeat(2000 - name.length)}`;
  expect(await submit(url)).toMatchObject({ status: 201 });
  expect(await submit(url)).toMatchObject(DUPLICATE);
  expect(await submit(`${url.slice(0, -1)}文`)).toMatchObject({ status: 201 });
});
