import { expect, it } from 'vitest';
import type { CallResponse } from '#test/support/client.ts';
import {
  conflict,
  dataOf,
  metaOf,
  person,
  type Submitted,
  submission,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

const DUPLICATE = conflict('DUPLICATE_URL');

const { server, directory } = await ownDirectory({ env: { DUPLICATE_URLS: 'reject' } });
const [owner, other] = await Promise.all([person(server), person(server)]);

const host = () => `${unique('once')}.example.com`;

const submit = (url: string, who = other, fields: Record<string, unknown> = {}): Promise<CallResponse> =>
  directory.as(who, 'POST', '/api/projects', submission({ categories: [directory.category], url, ...fields }));

it('a second project with the same canonical URL is rejected with 409 and not stored', async () => {
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

it('the URL of another project is a problem of a draft', async () => {
  const url = `https://${host()}/`;
  await directory.submit(owner, { url });
  const content = submission({ categories: [directory.category], url });
  const draft = await directory.ok(other, 'POST', '/api/me/drafts', { content }, 201);
  expect(draft).toMatchObject(success({ problems: { url: { _errors: ['Another project has this URL.'] } } }, 201));
});

it('a draft with a URL that no project has is without problems in every response', async () => {
  const content = submission({ categories: [directory.category], url: `https://${host()}/` });
  const { id } = dataOf<{ id: string }>(await directory.ok(other, 'POST', '/api/me/drafts', { content }, 201));
  const path = `/api/me/drafts/${id}`;
  expect(await directory.get(path, other)).toMatchObject(success({ problems: null }));
  expect(await directory.ok(other, 'PUT', path, { content })).toMatchObject(success({ problems: null }));
  const all = dataOf<{ id: string; problems: unknown }[]>(await directory.get('/api/me/drafts', other));
  expect(all.find((one) => one.id === id)).toMatchObject({ problems: null });
});

it('a submission by an assistant reserves its URL', async () => {
  const url = `https://${host()}`;
  const params = { name: 'submit_listing', arguments: submission({ categories: [directory.category], url }) };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' };
  expect(await directory.as(other, 'POST', '/mcp', call, headers)).toMatchObject({ status: 200 });
  expect(await submit(url)).toMatchObject(DUPLICATE);
});

it('a second project with the same URL is rejected for the same owner and every status of the first', async () => {
  for (const state of ['live', 'pending', 'rejected'] as const) {
    const url = `https://${host()}`;
    await directory.project(state, owner, { url });
    expect(await submit(url, owner)).toMatchObject(DUPLICATE);
  }
});

longTest('of two concurrent submissions of the same URL one is accepted', async () => {
  for (let round = 0; round < 5; round += 1) {
    const name = host();
    const responses = await Promise.all([submit(`https://${name}`), submit(`https://www.${name}/`, owner)]);
    expect(responses.map((response) => response.status).toSorted()).toEqual([201, 409]);
    expect(responses.find((response) => response.status === 409)).toMatchObject(DUPLICATE);
  }
});

it('a submission that is rejected for its URL does not reserve its slug', async () => {
  const url = `https://${host()}`;
  const slug = unique('free');
  await directory.submit(owner, { url });
  expect(await submit(url, other, { slug })).toMatchObject(DUPLICATE);
  expect(await submit(`https://${host()}`, other, { slug })).toMatchObject(success({ slug }, 201));
});

it('owners and administrators cannot change a URL to that of another project', async () => {
  const url = `https://${host()}`;
  await directory.submit(owner, { url });
  const { id } = await directory.submit(other);
  expect(await directory.as(other, 'PUT', `/api/projects/${id}`, { url: `${url}/#x` })).toMatchObject(DUPLICATE);
  expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { url })).toMatchObject(DUPLICATE);
  await directory.ok(other, 'PUT', `/api/projects/${id}`, { name: 'Same address' });
});

it('a URL can be changed to another spelling of itself', async () => {
  const name = host();
  const { id } = await directory.submit(owner, { url: `https://${name}` });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { url: `https://www.${name}/` });
  expect(await submit(`https://${name}`)).toMatchObject(DUPLICATE);
});

it('a changed URL frees the previous one', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.submit(owner, { url });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { url: `https://${host()}` });
  expect(await submit(url)).toMatchObject({ status: 201 });
});

longTest(
  'a deletion frees the URL of the project, which cannot be restored while another project has the URL',
  async () => {
    const url = `https://${host()}`;
    const { id } = await directory.live(owner, { url });
    await directory.ok(owner, 'DELETE', `/api/projects/${id}`);
    const second = dataOf<Submitted>(await submit(url));
    expect(await directory.as(directory.admin, 'PUT', `/api/admin/projects/${id}`, { deleted_at: null })).toMatchObject(
      DUPLICATE,
    );
    const restore = { action: 'restore', ids: [id] };
    expect(await directory.as(directory.admin, 'POST', '/api/admin/projects/bulk', restore)).toMatchObject(
      success({ results: [{ id, ok: false, code: 'DUPLICATE_URL' }] }),
    );
    await directory.adminOk('DELETE', `/api/admin/projects/${second.id}`);
    await directory.adminOk('PUT', `/api/admin/projects/${id}`, { deleted_at: null });
    expect(await submit(url)).toMatchObject(DUPLICATE);
  },
);

it('a revert leaves a project deleted while another project has its URL', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.live(owner, { url });
  const deletion = await directory.adminOk('POST', '/api/admin/projects/bulk', { action: 'delete', ids: [id] });
  expect(await submit(url)).toMatchObject({ status: 201 });
  const { batch_id } = dataOf<{ batch_id: string }>(deletion);
  const reverted = await directory.adminOk('POST', `/api/admin/batches/${batch_id}/revert`);
  expect(reverted).toMatchObject(
    success({ state: 'done', reverted: 0, kept: [{ project_id: id, reason: 'changed' }] }),
  );
  expect(await directory.read(id, directory.admin)).toMatchObject({ deleted_at: TIME });
});

it('a deletion with the reports of a project frees its URL', async () => {
  const url = `https://${host()}`;
  const { id } = await directory.live(owner, { url });
  const report = await directory.ok(other, 'POST', `/api/projects/${id}/report`, { reason: 'spam' }, 201);
  const ids = [dataOf<{ id: string }>(report).id];
  await directory.adminOk('POST', '/api/admin/reports/settle', { ids, action: 'delete', status: 'resolved' });
  expect(await submit(url)).toMatchObject({ status: 201 });
});

it('URLs of the maximum length are unique too', async () => {
  const name = host();
  // Each of these characters takes nine in the canonical URL.
  const url = `https://${name}/${'語'.repeat(2000 - name.length)}`;
  expect(await submit(url)).toMatchObject({ status: 201 });
  expect(await submit(url)).toMatchObject(DUPLICATE);
  expect(await submit(`${url.slice(0, -1)}文`)).toMatchObject({ status: 201 });
});
