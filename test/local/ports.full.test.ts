import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startProcess } from '#test/support/process.ts';
import { temporaryDataDir } from '#test/support/server.ts';

/** What web pages that the developer visits can reach of `npm start`: pages of any host may send requests to the loopback. */

const hasProcFiles = process.platform === 'linux';

interface Listener {
  readonly host: string;
  readonly port: number;
}

/** The address of a line of /proc/net/tcp, whose bytes are in the order of this machine (little-endian). */
const listenerOf = (local: string): Listener => {
  const [address = '', port = ''] = local.split(':');
  const bytes = address.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [];
  const host = bytes.length === 4 ? bytes.reverse().join('.') : '::1';
  return { host, port: Number.parseInt(port, 16) };
};

const listenersOf = (pid: number): Listener[] => {
  const sockets = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((file) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${file}`))?.[1] ?? [];
      } catch {
        // Closed meanwhile.
        return [];
      }
    }),
  );
  const lines = ['tcp', 'tcp6'].flatMap((kind) =>
    readFileSync(`/proc/${pid}/net/${kind}`, 'utf8').split('\n').slice(1),
  );
  return lines.flatMap((line) => {
    const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/);
    return state === '0A' && sockets.has(inode) ? listenerOf(local) : [];
  });
};

const dataDir = temporaryDataDir();
let server: ServerProcess;
let ofEngine: Listener[];
let ofService: Listener[];

beforeAll(async () => {
  if (!hasProcFiles) return;
  server = startProcess(dataDir);
  await server.url();
  const { pid } = JSON.parse(readFileSync(path.join(dataDir, 'engine.json'), 'utf8')) as { pid: number };
  ofEngine = listenersOf(pid);
  ofService = listenersOf(server.child.pid ?? 0);
});

afterAll(async () => {
  await server?.end('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

const evil = 'http://evil.example';

/** What a page can send without the consent of the server, and the question for that consent. */
const forged = [
  ['POST', { 'content-type': 'text/plain' }, 'Action=SendEmail'],
  ['POST', { 'content-type': 'application/x-www-form-urlencoded' }, 'Action=SendEmail'],
  ['GET', {}, ''],
  ['OPTIONS', { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-amz-target' }, ''],
] as const;

const send = async (
  { host, port }: Listener,
  [method, headers, body]: (typeof forged)[number],
  named: string,
): Promise<{ status: number | undefined; cors: string | undefined }> => {
  const sent = request({
    host,
    port,
    method,
    path: '/',
    agent: false,
    headers: { ...headers, origin: evil, host: named },
  });
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  response.resume();
  return { status: response.statusCode, cors: response.headers['access-control-allow-origin'] };
};

it.runIf(hasProcFiles)('browsers refuse to send requests to the port of the engine', async () => {
  expect(ofEngine).toHaveLength(1);
  for (const { host, port } of ofEngine) {
    expect(host).toMatch(/^127\./);
    // Node implements the same list of the Fetch Standard.
    await expect(fetch(`http://${host}:${port}/`)).rejects.toMatchObject({ cause: { message: 'bad port' } });
  }
});

it.runIf(hasProcFiles)('every other port refuses foreign hosts, and pages cannot read what it answers', async () => {
  // The gateway, twice where there is IPv6, and two mocks.
  expect(ofService.length).toBeGreaterThanOrEqual(3);
  for (const listener of ofService) {
    for (const kind of forged) {
      const refused = { status: 403, cors: undefined };
      expect([listener, kind, await send(listener, kind, 'evil.example')]).toEqual([listener, kind, refused]);
      const { cors } = await send(listener, kind, `127.0.0.1:${listener.port}`);
      expect([listener, kind, cors]).toEqual([listener, kind, undefined]);
    }
  }
});
