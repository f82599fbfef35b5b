import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

interface RequestOptions {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: string | Buffer;
  readonly type?: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Sends a request and returns the response when its headers arrive. */
export const open = (port: number, options: RequestOptions): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: options.method ?? 'GET',
        path: options.path,
        headers: {
          ...(options.token && { authorization: `Bearer ${options.token}` }),
          ...(options.body && {
            'content-type': options.type ?? 'application/json',
            'content-length': Buffer.byteLength(options.body),
          }),
        },
      },
      resolve,
    );
    sent.once('error', reject);
    sent.end(options.body);
  });

/** Sends a request and reads the body. */
export const send = async (port: number, options: RequestOptions): Promise<{ status: number; text: string }> => {
  const response = await open(port, options);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') };
};

/** The service in a separate process with temporary data. */
export interface Service {
  readonly port: number;
  readonly child: ChildProcess;
  readonly adminToken: string;
  readonly stop: () => Promise<void>;
}

/** Starts the service on a free port, without effective rate limits. */
export const startService = async (): Promise<Service> => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  const limits = ['GENERAL', 'VOTING', 'ADMIN', 'SUBMISSION'].map((tier) => [`RATE_LIMIT_${tier}`, '100000000/60']);
  const child = spawn(process.execPath, ['local/main.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...Object.fromEntries(limits), PORT: '0', DATA_DIR: folder },
  });
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    agent.destroy();
    child.kill('SIGINT');
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
    let port = 0;
    while (port === 0) {
      port = Number(/at http:\/\/localhost:(\d+)/.exec(output)?.[1] ?? 0);
      if (child.exitCode !== null) throw new Error('The service did not start.');
      await wait(20);
    }
    const { text } = await send(port, {
      method: 'POST',
      path: '/_local/token',
      body: JSON.stringify({ email: 'bench@example.com', admin: true }),
    });
    return { port, child, stop, adminToken: (JSON.parse(text) as { access_token: string }).access_token };
  } catch (error) {
    await stop();
    throw error;
  }
};

const kinds = ['micro', 'brewpub', 'regional', 'nano', 'large', 'contract', 'planning', 'bar'];
const places = ['Kronach', 'Mol', 'Zürich', 'Portland', 'Austin', 'Dublin', 'Lyon', 'Kraków', 'Osaka', 'Leeds'];

const csvOf = (from: number, count: number): string => {
  const rows = Array.from({ length: count }, (_, offset) => {
    const n = from + offset;
    const place = places[n % places.length] as string;
    return `${place} Bräu House ${n},https://brew-${n}.example.com,${kinds[(n * 7) % 8]},${place},${(n % 160) - 80}.5,${(n % 340) - 170}.25`;
  });
  return ['name,url,type,city,latitude,longitude', ...rows].join('\n');
};

const mapping = JSON.stringify({
  columns: {
    name: 'name',
    url: 'url',
    type: 'categories',
    city: 'address_city',
    latitude: 'latitude',
    longitude: 'longitude',
  },
  defaults: { description: 'A place where beer is made, with a room to drink it in.', pricing_type: 'paid' },
  create_categories: true,
});

/** Keeps an import file well below the size limit. */
const ROWS_PER_IMPORT = 10_000;

/** Imports generated listings. */
export const importListings = async ({ port, adminToken }: Service, count: number): Promise<void> => {
  const boundary = 'bench-boundary';
  const part = (name: string, more: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${content}\r\n`;
  for (let from = 0; from < count; from += ROWS_PER_IMPORT) {
    const file = csvOf(from, Math.min(ROWS_PER_IMPORT, count - from));
    const { status, text } = await send(port, {
      method: 'POST',
      path: '/api/admin/projects/import',
      token: adminToken,
      type: `multipart/form-data; boundary=${boundary}`,
      body: Buffer.from(
        `${part('mapping', '', mapping)}${part('file', '; filename="bench.csv"\r\nContent-Type: text/csv', file)}--${boundary}--\r\n`,
      ),
    });
    if (status !== 200) throw new Error(`The import answered ${status}: ${text.slice(0, 300)}`);
    console.log(`${Math.min(from + ROWS_PER_IMPORT, count)} of ${count} listings imported`);
  }
};
