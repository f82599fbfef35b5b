import { createHash, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { ImportReport } from '#contract/batches.ts';
import { beginRequest, storeResponse } from '#data/idempotency.ts';
import { idempotencyKey, type Key } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import { secondsFromNow } from '#platform/clock.ts';
import type { CallResponse } from '#test/support/client.ts';
import { dataOf, person, submission, unique } from '#test/support/fixtures.ts';
import { multipart } from '#test/support/requests.ts';
import { interceptTable } from '#test/support/table-calls.ts';
import { csv, IMPORT_PATH } from '#test/support/uploads.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server, directory } = await sharedDirectory();
const user = await person(server);

const valid = (name: string) => submission({ name, categories: [directory.category] });

const submit = (key: string, body: unknown, who = user) =>
  directory.as(who, 'POST', '/api/projects', body, { 'idempotency-key': key });

const submissions = async (name: string): Promise<number> => {
  const response = await directory.get('/api/me/submissions?limit=100', user);
  return dataOf<{ name: string }[]>(response).filter((project) => project.name === name).length;
};

it('a repeated request with an idempotency key gets the first response', async () => {
  const body = valid('Once');
  const [first, second] = [await submit('one', body), await submit('one', body)];
  expect([first.status, second.status]).toEqual([201, 201]);
  expect(second.body).toEqual(first.body);
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
  expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'));
  expect(await submissions('Once')).toBe(1);
});

it('a repeated request may be compressed, or begin with a byte order mark', async () => {
  const body = valid('Encoded');
  const first = await submit('encoded', body);
  const again = await server.call('POST', '/api/projects', {
    token: user.token,
    rawBody: gzipSync(`\ufeff${JSON.stringify(body)}`),
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', 'idempotency-key': 'encoded' },
  });
  expect([first.status, again.status, again.body]).toEqual([201, 201, first.body]);
  expect(await submissions('Encoded')).toBe(1);
});

it('idempotency keys of different callers are separate', async () => {
  const body = valid('Third');
  const [mine, theirs] = [await submit('three', body), await submit('three', body, await person(server))];
  expect([mine.status, theirs.status]).toEqual([201, 201]);
  expect(theirs.body).not.toEqual(mine.body);
});

it('ten concurrent requests with one idempotency key are executed once, and return 409 meanwhile', async () => {
  const body = valid('Fourth');
  const responses = await Promise.all(Array.from({ length: 10 }, () => submit('four', body)));
  const created = responses.filter((response) => response.status === 201);
  expect(created.length).toBeGreaterThan(0);
  expect(new Set(created.map((response) => JSON.stringify(response.body))).size).toBe(1);
  for (const rejected of responses.filter((response) => response.status !== 201)) {
    expect([rejected.status, (rejected.body as { code: string }).code]).toEqual([409, 'IN_PROGRESS']);
  }
  expect(await submissions('Fourth')).toBe(1);
});

it('a rejected request does not use up its idempotency key', async () => {
  const rejected = await submit('five', { ...valid('Fifth'), categories: ['no-such-category'] });
  expect(rejected.status).toBe(400);
  expect((await submit('five', valid('Fifth'))).status).toBe(201);
});

it('requests without an idempotency key are all executed', async () => {
  const send = () => directory.as(user, 'POST', '/api/projects', valid('Twice'));
  const sent = await Promise.all([send(), send()]);
  expect(sent.map(({ status }) => status)).toEqual([201, 201]);
  expect(await submissions('Twice')).toBe(2);
});

/** The key of the stored record of a submission. */
const recordOf = (key: string): Key => {
  const name = createHash('sha256')
    .update(JSON.stringify([user.id, 'projects.submit', key]))
    .digest('base64url');
  return idempotencyKey(name);
};

const createdId = (response: CallResponse): string => {
  expect(response.status).toBe(201);
  return dataOf<{ id: string }>(response).id;
};

it('a repeated request finds the project of an attempt that crashed before its response was stored', async () => {
  const record = recordOf('seven');
  const body = valid('Seventh');
  const created = createdId(await submit('seven', body));
  // As a crash leaves the record: still running.
  await updateItem(record, { set: { until: secondsFromNow(30) }, remove: ['response'] });
  const early = await submit('seven', body);
  expect([early.status, (early.body as { code: string }).code]).toEqual([409, 'IN_PROGRESS']);
  // As the record is once the attempt counts as crashed, and as a clock that was a day ahead left it.
  for (const until of [1, secondsFromNow(86_400)]) {
    await updateItem(record, { set: { until }, remove: ['response'] });
    expect(createdId(await submit('seven', body))).toBe(created);
  }
  expect(await submissions('Seventh')).toBe(1);
});

it('one project is created when an attempt that counted as crashed still completes', async () => {
  const [firstWrites, bothWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let writing = 0;
  interceptTable(async ({ operation, input }, send) => {
    if (operation === 'TransactWriteItems' && JSON.stringify(input).includes('Eighth')) {
      writing += 1;
      firstWrites.resolve();
      if (writing === 2) bothWrite.resolve();
      // Neither attempt sees the other's project before both begin to write.
      await bothWrite.promise;
    }
    return await send();
  });
  const body = valid('Eighth');
  const first = submit('eight', body);
  await firstWrites.promise;
  await updateItem(recordOf('eight'), { set: { until: 1 } });
  const second = submit('eight', body);
  expect(createdId(await second)).toBe(createdId(await first));
  expect(writing).toBeGreaterThanOrEqual(2);
  expect(await submissions('Eighth')).toBe(1);
});

it('the key of a request is not valid for the same body elsewhere', async () => {
  const [one, other] = [await directory.live(user), await directory.live(user)];
  const send = (project: string) =>
    directory.as(
      user,
      'POST',
      `/api/projects/${project}/comments`,
      { content: 'Hello.' },
      { 'idempotency-key': 'ten' },
    );
  expect((await send(one.id)).status).toBe(201);
  expect(await send(other.id)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
  expect((await send(one.id)).status).toBe(201);
  expect((await directory.read(one.id)).comments_count).toBe(1);
});

describe('a form', () => {
  const file = csv(['name', 'url', 'description'], [unique('row'), `https://${unique('row')}.example.com/`, 'A test.']);
  const mapping = JSON.stringify({ columns: { name: 'name', url: 'url', description: 'description' } });
  const send = async (key: string, parts: Readonly<Record<string, string | Blob>>, query = '') =>
    server.call('POST', `${IMPORT_PATH}${query}`, {
      token: directory.admin.token,
      ...(await encoded(parts, key)),
    });
  const encoded = async (parts: Readonly<Record<string, string | Blob>>, key: string) => {
    const { rawBody, headers } = await multipart(parts);
    return { rawBody, headers: { ...headers, 'idempotency-key': key } };
  };
  const reportOf = (response: CallResponse) => dataOf<ImportReport>(response);

  it('is the same with another boundary and in another order', async () => {
    const first = await send('form one', { file: new Blob([file]), mapping });
    const again = await send('form one', { mapping, file: new Blob([file]) });
    expect([first.status, reportOf(first).created]).toEqual([200, 1]);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it.each([
    ['file', { file: new Blob([`${file}\n`]), mapping }, ''],
    ['name of a file', { file: new File([file], 'other.csv'), mapping }, ''],
    ['query', { file: new Blob([file]), mapping }, '?dry_run=true'],
    ['field', { file: new Blob([file]), mapping, dry_run: 'true' }, ''],
  ])('is another one with another %s', async (name, parts, query) => {
    const key = `form ${name}`;
    const first = await send(key, {
      file: new Blob([file]),
      mapping: mapping.replace('}}', '},"on_conflict":"skip"}'),
    });
    expect(first.status).toBe(200);
    expect(await send(key, parts, query)).toMatchObject({ status: 422, body: { code: 'IDEMPOTENCY_MISMATCH' } });
  });
});

it('a response that no item can hold is not stored: the request can be repeated at once', async () => {
  const request = { name: unique('request'), key: 'eleven' };
  const begun = await beginRequest(request, 'digest');
  if ('status' in begun) throw new Error('The request is not new.');
  const body = randomBytes(400_000).toString('base64');
  await storeResponse(begun, { status: 200, headers: {}, body });
  expect(await beginRequest(request, 'digest')).toMatchObject({ ...request, seed: begun.seed });
});

it('a response of any size below is stored', async () => {
  const request = { name: unique('request'), key: 'twelve' };
  const begun = await beginRequest(request, 'digest');
  if ('status' in begun) throw new Error('The request is not new.');
  const response = { status: 200, headers: { etag: '"1"' }, body: `${'x'.repeat(5_000_000)} 😀` };
  await storeResponse(begun, response);
  expect(await beginRequest(request, 'digest')).toEqual(response);
});

it('a request with a damaged response is executed again, and finds what it has created', async () => {
  const body = valid('Thirteenth');
  const created = createdId(await submit('thirteen', body));
  await updateItem(recordOf('thirteen'), { set: { response: new Uint8Array(5), until: 1 } });
  expect(createdId(await submit('thirteen', body))).toBe(created);
  expect(createdId(await submit('thirteen', body))).toBe(created);
  expect(await submissions('Thirteenth')).toBe(1);
});
