import { execFile } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, it } from 'vitest';
import { clientOf } from '#test/support/client.ts';
import { startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';

const dataDir = temporaryDataDir();
const script = fileURLToPath(new URL('../../../scripts/make-admin.ts', import.meta.url));

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const makeAdmin = async (...args: string[]): Promise<{ code: number; output: string }> => {
  const env: NodeJS.ProcessEnv = { ...process.env, DATA_DIR: dataDir, INIT_CWD: dataDir };
  delete env.TABLE_NAME;
  delete env.DYNAMODB_ENDPOINT;
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [script, ...args], { cwd: dataDir, env });
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
    return { code, output: stdout + stderr };
  }
};

it('make-admin prints its usage, and asks to start the service first', async () => {
  expect(await makeAdmin('--help')).toMatchObject({ code: 0, output: expect.stringContaining('make-admin') as string });
  expect(await makeAdmin()).toMatchObject({ code: 1, output: expect.stringContaining('<email or id>') as string });
  expect(await makeAdmin('a@example.com')).toMatchObject({
    code: 1,
    output: expect.stringContaining('Run `npm start` once') as string,
  });
});

it('make-admin grants the role by email or id, with the service running or stopped', async () => {
  const running = startProcess(dataDir);
  const client = clientOf(await running.url());
  const [first, second] = [
    await client.token({ email: 'First@example.com' }),
    await client.token({ email: 'second@example.com' }),
  ];
  const statusOf = async (token: string) => (await client.call('GET', '/api/admin/users', { token })).status;
  expect(await makeAdmin('first@example.com')).toMatchObject({
    code: 1,
    output: expect.stringContaining('has not signed in') as string,
  });
  expect([await statusOf(first), await statusOf(second)]).toEqual([403, 403]);

  expect(await makeAdmin('FIRST@example.com')).toMatchObject({
    code: 0,
    output: expect.stringContaining('is an administrator now') as string,
  });
  expect([await statusOf(first), await statusOf(second)]).toEqual([200, 403]);
  const { body } = await client.call('GET', '/api/user/profile', { token: second });
  client.close();
  await running.end('SIGTERM');

  expect(await makeAdmin((body as { data: { id: string } }).data.id)).toMatchObject({ code: 0 });
  expect(await makeAdmin('unknown')).toMatchObject({ code: 1 });
  const again = startProcess(dataDir);
  const later = clientOf(await again.url());
  const token = await later.token({ email: 'second@example.com' });
  expect((await later.call('GET', '/api/admin/users', { token })).status).toBe(200);
  later.close();
  await again.end('SIGTERM');
}, 600_000);

it('make-admin reads the file .env like the start', async () => {
  const folder = temporaryDataDir();
  writeFileSync(path.join(folder, '.env'), `DATA_DIR=${path.join(folder, 'listings')}\n`);
  const env = { ...process.env, DATA_DIR: undefined, TABLE_NAME: undefined, DYNAMODB_ENDPOINT: undefined };
  const run = promisify(execFile)(process.execPath, [script, 'a@example.com'], {
    env: { ...env, npm_lifecycle_event: 'make-admin', INIT_CWD: folder },
  });
  await expect(run).rejects.toMatchObject({
    stderr: expect.stringContaining(`There is no table in ${path.join(folder, 'listings')}.`) as string,
  });
  rmSync(folder, { recursive: true, force: true });
});
