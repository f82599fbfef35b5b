import { createHash } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { idempotencyKey, type Key } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import { secondsFromNow } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { TransactWriteCommand } from '#platform/dynamo-commands.ts';
import type { CallResponse } from '#test/support/client.ts';
import { sharedTestServer, type TestServer } from '#test/support/server.ts';

/** Requests with an `Idempotency-Key`. */

let server: TestServer;
let user: string;

beforeAll(async () => {
  server = await sharedTestServer();
  const admin = await server.token({ email: 'root@example.com', admin: true });
  const category = await server.call('POST', '/api/admin/categories', {
    token: admin,
    body: { name: 'Idempotency tools' },
  });
  expect(category.status).toBe(201);
  user = await server.token({ email: 'careful@example.com' });
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  await server.stop();
});

const submission = (name: string) => ({
  plan: 'standard',
  name,
  url: 'https://again.example.com',
  description: 'Sent more than once.',
  categories: ['idempotency-tools'],
  pricing_type: 'free',
});

const submit = (key: string, body: unknown, token = user) =>
  server.call('POST', '/api/projects', { token, body, headers: { 'idempotency-key': key } });

const submissions = async (name: string): Promise<number> => {
  const { body } = await server.call('GET', '/api/me/submissions?limit=100', { token: user });
  return (body as { data: { name: string }[] }).data.filter((project) => project.name === name).length;
};

it('replays the first response for the same key and body', async () => {
  const first = await submit('one', submission('Once'));
  const second = await submit('one', submission('Once'));
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await submissions('Once')).toBe(1);
});

it('returns 422 for another body under the same key', async () => {
  expect((await submit('two', submission('Second'))).status).toBe(201);
  const other = await submit('two', submission('Something Else'));
  expect(other.status).toBe(422);
  expect(other.body).toEqual({ error: 'Unprocessable', code: 'IDEMPOTENCY_MISMATCH' });
  expect(await submissions('Something Else')).toBe(0);
});

it('separates the keys of different callers', async () => {
  const other = await server.token({ email: 'other@example.com' });
  const mine = await submit('three', submission('Third'));
  const theirs = await submit('three', submission('Third'), other);
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.body).not.toEqual(mine.body);
});

it('executes ten concurrent requests once and returns 409 to those that arrive meanwhile', async () => {
  const responses = await Promise.all(Array.from({ length: 10 }, () => submit('four', submission('Fourth'))));
  const created = responses.filter((response) => response.status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map((response) => JSON.stringify(response.body))).size).toBe(1);
  for (const rejected of responses.filter((response) => response.status !== 201)) {
    expect([rejected.status, (rejected.body as { code: string }).code]).toEqual([409, 'IN_PROGRESS']);
  }
  expect(await submissions('Fourth')).toBe(1);
});

it('stores nothing for a rejected request', async () => {
  const rejected = await submit('five', { ...submission('Fifth'), categories: ['no-such-category'] });
  expect(rejected.status).toBe(400);
  expect((await submit('five', submission('Fifth'))).status).toBe(201);
});

it('returns 400 for a key that is too long', async () => {
  expect((await submit('k'.repeat(256), submission('Sixth'))).status).toBe(400);
  expect(await submissions('Sixth')).toBe(0);
});

it('executes every request without a key', async () => {
  const send = () => server.call('POST', '/api/projects', { token: user, body: submission('Twice') });
  const sent = await Promise.all([send(), send()]);
  expect(sent.map(({ status }) => status)).toEqual([201, 201]);
  expect(await submissions('Twice')).toBe(2);
});

/** The key of the stored record of a submission. */
const recordOf = async (key: string): Promise<Key> => {
  const profile = await server.call('GET', '/api/user/profile', { token: user });
  const { id } = (profile.body as { data: { id: string } }).data;
  const name = createHash('sha256')
    .update(JSON.stringify([id, 'projects.submit', key]))
    .digest('base64url');
  return idempotencyKey(name);
};

const idOf = (response: CallResponse): string => {
  expect(response.status).toBe(201);
  return (response.body as { data: { id: string } }).data.id;
};

it('finds the project of an attempt that crashed before its response was stored', async () => {
  const record = await recordOf('seven');
  const created = idOf(await submit('seven', submission('Seventh')));
  // As a crash leaves the record: still running.
  await updateItem(record, { set: { state: 'running', until: secondsFromNow(30) }, remove: ['answer'] });
  const early = await submit('seven', submission('Seventh'));
  expect([early.status, (early.body as { code: string }).code]).toEqual([409, 'IN_PROGRESS']);
  // As the record is once the attempt counts as crashed.
  await updateItem(record, { set: { until: 1 } });
  expect(idOf(await submit('seven', submission('Seventh')))).toBe(created);
  expect(await submissions('Seventh')).toBe(1);
});

it('creates one project when an attempt that counted as crashed still completes', async () => {
  const client = dynamo();
  const send = client.send.bind(client) as (command: unknown) => Promise<unknown>;
  const [firstWrites, bothWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writing = 0;
  vi.spyOn(client as { send: typeof send }, 'send').mockImplementation(async (command) => {
    if (command instanceof TransactWriteCommand && JSON.stringify(command.input).includes('Eighth')) {
      writing += 1;
      firstWrites.resolve();
      if (writing === 2) bothWrite.resolve();
      // Neither attempt sees the other's project before both begin to write.
      await bothWrite.promise;
    }
    return await send(command);
  });
  const first = submit('eight', submission('Eighth'));
  await firstWrites.promise;
  await updateItem(await recordOf('eight'), { set: { until: 1 } });
  const second = submit('eight', submission('Eighth'));
  expect(idOf(await second)).toBe(idOf(await first));
  expect(writing).toBeGreaterThanOrEqual(2);
  expect(await submissions('Eighth')).toBe(1);
});
