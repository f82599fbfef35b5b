import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { untilEventsDelivered } from '#test/support/events.ts';
import { NOT_FOUND, person, unique } from '#test/support/fixtures.ts';
import { respond } from '#test/support/receiver.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { csv, importFile } from '#test/support/uploads.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

/** Reports by IndexNow to a receiver on this machine. */

const KEY = 'a-Key-of-IndexNow-1';
const SITE = 'https://directory.example';

const receiver = await ownReceiver();
const { server, directory } = await ownDirectory({
  env: {
    ...OWN_SECRETS,
    SITE_URL: SITE,
    INDEXNOW_KEY: KEY,
    INDEXNOW_ENDPOINT: receiver.url,
    WEBHOOK_ALLOW_PRIVATE: 'on',
  },
  retries: { firstPauseMs: 50, triesMax: 5 },
});
const owner = await person(server);

interface Report {
  readonly urlList: readonly string[];
}

const reports = () => receiver.received.map(({ body }) => JSON.parse(body) as Report);
/** All reported addresses after the events so far, without the address of the site. */
const reported = async (): Promise<readonly string[]> => {
  await untilEventsDelivered(server, directory);
  // As search engines do with a report; without the feature the test is skipped.
  expect((await server.call('GET', `/${KEY}.txt`)).status).toBe(200);
  return reports().flatMap(({ urlList }) => urlList.map((url) => url.replace(`${SITE}/projects/`, '')));
};

it('the key is a text at its own address, and at no other', async () => {
  const found = await server.call('GET', `/${KEY}.txt`);
  expect(found).toMatchObject({ status: 200, body: KEY });
  expect(found.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  for (const path of ['/indexnow-key.txt', `/${KEY.toUpperCase()}.txt`, '/{indexnow}.txt', `/${KEY}`]) {
    expect(await server.call('GET', path)).toMatchObject(NOT_FOUND);
  }
});

it('a publication is reported in the form of the protocol; a submission and its rejection are not', async () => {
  const rejected = await directory.project('rejected', owner);
  const { id, slug } = await directory.live(owner);
  expect(await reported()).toEqual([slug]);
  expect(reports()).toEqual([
    {
      host: 'directory.example',
      key: KEY,
      keyLocation: `${SITE}/${KEY}.txt`,
      urlList: [`${SITE}/projects/${slug}`],
    },
  ]);
  expect(receiver.received[0]?.headers['content-type']).toBe('application/json; charset=utf-8');
  await directory.ok(owner, 'PUT', `/api/projects/${rejected.id}`, { name: 'Not public' });
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { name: 'Another name' });
  expect(await reported()).toEqual([slug, slug]);
});

it('a changed slug is reported with the address before, and a removal, a return and a second removal are', async () => {
  const { id, slug } = await directory.live(owner);
  expect(await reported()).toEqual([slug]);
  receiver.reset();
  const next = unique('moved');
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug: next });
  expect(await reported()).toEqual([next, slug]);
  receiver.reset();
  await directory.adminOk('DELETE', `/api/projects/${id}`);
  expect(await reported()).toEqual([next]);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { deleted_at: null });
  expect(await reported()).toEqual([next, next]);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'rejected' });
  expect(await reported()).toEqual([next, next, next]);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'live' });
  expect(await reported()).toEqual([next, next, next, next]);
  await directory.adminOk('DELETE', `/api/admin/projects/${id}`);
  expect(await reported()).toEqual([next, next, next, next, next]);
});

it('an import is one report of its public listings, and so is its revert', async () => {
  const names = [unique('tea'), unique('tea')];
  const file = csv(
    ['name', 'slug', 'url', 'description', 'status'],
    ...names.map((name) => [name, name, `https://${name}.example`, 'A test.', 'live']),
    ['Waits', unique('waits'), 'https://waits.example', 'A test.', 'pending'],
  );
  const fields = ['name', 'slug', 'url', 'description', 'status'];
  const mapping = Object.fromEntries(fields.map((field) => [field, field]));
  const { batch_id } = await importFile(server, directory.admin.token, file, mapping);
  expect((await reported()).toSorted()).toEqual(names.toSorted());
  expect(reports()).toHaveLength(1);
  receiver.reset();
  await directory.adminOk('POST', `/api/admin/batches/${batch_id}/revert`);
  expect((await reported()).toSorted()).toEqual(names.toSorted());
});

it('bulk changes report each public listing once', async () => {
  const listings = [await directory.submit(owner), await directory.submit(owner)];
  const slugs = listings.map(({ slug }) => slug).toSorted();
  const { slug: category } = await directory.addCategory();
  for (const action of [
    { action: 'approve' },
    { action: 'set_categories', categories: [category] },
    { action: 'delete' },
  ]) {
    receiver.reset();
    await directory.adminOk('POST', '/api/admin/projects/bulk', { ids: listings.map(({ id }) => id), ...action });
    expect([action, (await reported()).toSorted()]).toEqual([action, slugs]);
  }
});

it('a receiver that hangs, refuses and closes connections delays no request, and gets the report when it is back', async () => {
  const held = Promise.withResolvers<ServerResponse>();
  receiver.respondNext(held.resolve, respond(429), respond(503), (response) => void response.destroy());
  const { slug } = await directory.live(owner);
  expect((await directory.get(`/api/projects/${slug}`)).status).toBe(200);
  (await held.promise).destroy();
  expect(await reported()).toEqual(Array.from({ length: 5 }, () => slug));
});
