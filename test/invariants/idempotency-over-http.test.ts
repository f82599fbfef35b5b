import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes, table } from '#contract/table.ts';
import { idempotencyKey, type Key } from '#data/keys.ts';
import { exists, updateItem } from '#data/write.ts';
import { now } from '#platform/clock.ts';
import { getWebhook, signingSecrets } from '#services/webhooks/manage.ts';
import type { CallResponse } from '#test/support/client.ts';
import { type Creation, creationOf } from '#test/support/creations.ts';
import { dataOf, unique } from '#test/support/fixtures.ts';
import { sampleOf } from '#test/support/sample.ts';
import { scanTable } from '#test/support/scan-table.ts';
import { interceptTable, type TableCall } from '#test/support/table-calls.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** `Idempotency-Key` on every route that honours it: the table of routes says which. */

const { server, directory } = await ownDirectory({ env: { WEBHOOK_ALLOW_PRIVATE: 'on' } });

const idempotent = routes.filter((route) => route.idempotent === true);

let checks = 0;

/** The routes of the next check, each check with another sample. */
const named = () => {
  checks += 1;
  return sampleOf(idempotent, checks).map((route) => ({ id: route.id, route }));
};

/** The stored records of a creation. */
const recordsOf = async ({ type, marker }: Creation) =>
  (await scanTable(server)).filter((item) => item.type === type && JSON.stringify(item).includes(marker));

/** The key of the record of a request. */
const requestRecord = (route: Route, key: string): Key =>
  idempotencyKey(
    createHash('sha256')
      .update(JSON.stringify([directory.admin.id, route.id, key]))
      .digest('base64url'),
  );

/** Lets the process of an attempt count as dead. */
const endAttempt = async (route: Route, key: string): Promise<void> => {
  expect(await updateItem(requestRecord(route, key), { set: { until: 1 } }, exists)).toBeDefined();
};

/** Whether a call writes the record of a creation. */
const writesRecord =
  ({ type, marker }: Creation) =>
  ({ input }: TableCall): boolean => {
    const text = JSON.stringify(input);
    return text.includes(`"type":"${type}"`) && text.includes(marker);
  };

/** Sends a request whose process dies after a write. */
const sendDying = async (send: () => Promise<CallResponse>, isLast: (call: TableCall) => boolean): Promise<void> => {
  let isDead = false;
  const stop = interceptTable(async (call, forward) => {
    if (isDead) throw new Error('The process is dead.');
    isDead = isLast(call);
    const answer = await forward();
    if (isDead) throw new Error('The process is dead.');
    return answer;
  });
  expect((await send()).status).toBeGreaterThanOrEqual(500);
  stop();
  expect(isDead).toBe(true);
};

it('every POST that answers 201 honours the header', () => {
  const creating = routes.filter(({ method, responses }) => method === 'POST' && 201 in responses);
  expect(creating.filter((route) => route.idempotent !== true).map(({ id }) => id)).toEqual([]);
});

it.each(named())(
  '$id executes concurrent requests with one key once, and answers each repetition like the first',
  async ({ route }) => {
    const creation = await creationOf(directory, route);
    const key = unique('key');
    const concurrent = await Promise.all([1, 2, 3, 4, 5].map(() => creation.send(key)));
    const answered = concurrent.filter(({ status }) => status !== 409);
    expect(answered.length).toBeGreaterThan(0);
    for (const rejected of concurrent.filter(({ status }) => status === 409)) {
      expect(rejected.body).toMatchObject({ error: 'Conflict', code: 'IN_PROGRESS' });
    }
    const again = await creation.send(key);
    for (const { status, body, headers } of answered) {
      expect(status).toBeLessThan(300);
      expect([again.status, again.body, again.headers.get('etag')]).toEqual([status, body, headers.get('etag')]);
    }
    expect(await recordsOf(creation)).toHaveLength(1);
  },
);

it.each(named())('$id answers 409 while the first request runs, and 422 to another one', async ({ route }) => {
  const creation = await creationOf(directory, route);
  const key = unique('key');
  await sendDying(
    () => creation.send(key),
    ({ written }) => written.some((one) => one.startsWith('IDEMPOTENCY#')),
  );
  expect(await creation.send(key)).toMatchObject({ status: 409, body: { error: 'Conflict', code: 'IN_PROGRESS' } });
  const other = await creation.sendOther(key);
  expect(other).toMatchObject({ status: 422, body: { error: 'Unprocessable', code: 'IDEMPOTENCY_MISMATCH' } });
  expect(await recordsOf(creation)).toHaveLength(0);
  await endAttempt(route, key);
  expect((await creation.send(key)).status).toBeLessThan(300);
  expect(await recordsOf(creation)).toHaveLength(1);
});

it.each(named())('$id finds what an attempt has created whose process died before it answered', async ({ route }) => {
  const creation = await creationOf(directory, route);
  const key = unique('key');
  await sendDying(() => creation.send(key), writesRecord(creation));
  const before = await recordsOf(creation);
  expect(before).toHaveLength(1);
  await endAttempt(route, key);
  const answer = await creation.send(key);
  expect(answer.status).toBe(creation.status);
  const [created] = before;
  expect(JSON.stringify(answer.body)).toContain(
    route.id === 'projects.importCsv' ? '"created":1,' : `"${String(created?.id)}"`,
  );
  const after = await recordsOf(creation);
  expect(after.map(({ pk, sk }) => [pk, sk])).toEqual(before.map(({ pk, sk }) => [pk, sk]));
  const again = await creation.send(key);
  expect([again.status, again.body]).toEqual([answer.status, answer.body]);
});

/** A creation whose first attempt has died after its write, and the answer to the second one. */
const repeated = async <T>(route: Route): Promise<T> => {
  const creation = await creationOf(directory, route);
  const key = unique('key');
  await sendDying(() => creation.send(key), writesRecord(creation));
  await endAttempt(route, key);
  const answer = await creation.send(key);
  expect((await creation.send(key)).body).toEqual(answer.body);
  return dataOf<T>(answer);
};

const storedBytes = async (): Promise<string> => {
  const items = await scanTable(server);
  const values = items.flatMap((item) => Object.values(item));
  const bytes = values.flatMap((value) => (value instanceof Uint8Array ? [Buffer.from(value).toString('latin1')] : []));
  return [JSON.stringify(items), ...bytes].join('\n');
};

it('an API key whose first attempt has died is valid, and nothing stored tells it', async () => {
  const { id, key } = await repeated<{ id: string; key: string }>(table.apiKeys.create);
  const { path } = table.apiKeys.current;
  expect(await server.call('GET', path, { token: key })).toMatchObject({ status: 200, body: { data: { id } } });
  expect(await storedBytes()).not.toContain(key);
});

it('a webhook whose first attempt has died signs with the secret of the answer, and nothing stored tells it', async () => {
  const { id, secret } = await repeated<{ id: string; secret: string }>(table.webhooks.create);
  expect((await signingSecrets(await getWebhook(id), now()))[0]).toBe(secret);
  expect(await storedBytes()).not.toContain(secret);
});

it('a retry that is rejected does not make the next one create a second record', async () => {
  const { id } = await directory.live(directory.admin);
  const [key, content] = [unique('key'), unique('comment')];
  const send = () => directory.asAdmin('POST', `/api/projects/${id}/comments`, { content }, { 'idempotency-key': key });
  await sendDying(send, ({ input }) => JSON.stringify(input).includes(content));
  await endAttempt(table.comments.add, key);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'rejected' });
  expect((await send()).status).toBe(404);
  await directory.adminOk('PUT', `/api/admin/projects/${id}`, { status: 'live' });
  expect((await send()).status).toBe(201);
  expect((await directory.read(id)).comments_count).toBe(1);
});
