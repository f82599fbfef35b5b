import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const HELP = `Measures the service over HTTP on this machine, beside a bare server that answers the same bytes.

  node bench/http.ts [--listings 11000] [--seconds 3]

Prints per request: median and 99th percentile one at a time, and requests per second at 16, with the ratio to the bare
server. The service runs in a process of its own on the loopback with its embedded engine; data goes away afterwards.
`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const option = (name: string, fallback: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? fallback : Number(process.argv[at + 1]);
};

const listings = option('listings', 11_000);
const seconds = option('seconds', 3);
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

interface Ask {
  readonly method?: string;
  readonly path: string;
  readonly token?: string;
  readonly body?: string | Buffer;
  readonly type?: string;
}

const send = (port: number, ask: Ask): Promise<{ status: number; text: string; bytes: number }> =>
  new Promise((resolve, reject) => {
    const sent = request(
      {
        agent,
        port,
        host: '127.0.0.1',
        method: ask.method ?? 'GET',
        path: ask.path,
        headers: {
          ...(ask.token && { authorization: `Bearer ${ask.token}` }),
          ...(ask.body && { 'content-type': ask.type ?? 'application/json', 'content-length': Buffer.byteLength(ask.body) }),
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.once('end', () => {
          const whole = Buffer.concat(chunks);
          resolve({ status: answer.statusCode ?? 0, text: whole.toString('utf8'), bytes: whole.length });
        });
        answer.once('error', reject);
      },
    );
    sent.once('error', reject);
    sent.end(ask.body);
  });

const rankOf = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const measure = async (port: number, next: () => Ask) => {
  for (let warm = 0; warm < 50; warm += 1) await send(port, next());
  const times: number[] = [];
  const alone = performance.now() + seconds * 1000;
  while (performance.now() < alone) {
    const from = performance.now();
    const { status } = await send(port, next());
    if (status >= 400) throw new Error(`${next().path} answered ${status}.`);
    times.push(performance.now() - from);
  }
  let done = 0;
  const together = performance.now() + seconds * 1000;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      while (performance.now() < together) {
        await send(port, next());
        done += 1;
      }
    }),
  );
  times.sort((a, b) => a - b);
  return { median: rankOf(times, 0.5), p99: rankOf(times, 0.99), perSecond: done / seconds };
};

const csvOf = (count: number): string => {
  const kinds = ['micro', 'brewpub', 'regional', 'nano', 'large', 'contract', 'planning', 'bar'];
  const places = ['Kronach', 'Mol', 'Zürich', 'Portland', 'Austin', 'Dublin', 'Lyon', 'Kraków', 'Osaka', 'Leeds'];
  const rows = Array.from({ length: count }, (_, n) => {
    const place = places[n % places.length] as string;
    return `${place} Bräu House ${n},https://brew-${n}.example.com,${kinds[(n * 7) % 8]},${place},${(n % 160) - 80}.5,${(n % 340) - 170}.25`;
  });
  return ['name,url,type,city,latitude,longitude', ...rows].join('\n');
};

const importAll = async (port: number, token: string): Promise<void> => {
  const boundary = 'bench-boundary';
  const mapping = {
    columns: { name: 'name', url: 'url', type: 'categories', city: 'address_city', latitude: 'latitude', longitude: 'longitude' },
    defaults: { description: 'A place where beer is made, with a room to drink it in.', pricing_type: 'paid' },
    create_categories: true,
  };
  const body = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="mapping"\r\n\r\n${JSON.stringify(mapping)}\r\n` +
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bench.csv"\r\nContent-Type: text/csv\r\n\r\n${csvOf(listings)}\r\n--${boundary}--\r\n`,
  );
  const from = performance.now();
  const { status, text } = await send(port, {
    method: 'POST',
    path: '/api/admin/projects/import',
    token,
    body,
    type: `multipart/form-data; boundary=${boundary}`,
  });
  if (status !== 200) throw new Error(`The import answered ${status}: ${text.slice(0, 300)}`);
  console.log(`imported ${listings} listings in ${((performance.now() - from) / 1000).toFixed(1)} s`);
};

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
const limits = ['GENERAL', 'VOTING', 'ADMIN', 'SUBMISSION'].map((tier) => [`RATE_LIMIT_${tier}`, '100000000/60']);
const child = spawn(process.execPath, ['local/main.ts'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, ...Object.fromEntries(limits), PORT: '0', DATA_DIR: folder },
});
const ended = once(child, 'exit');
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
  const tokenFor = async (email: string) => {
    const { text } = await send(port, { method: 'POST', path: '/_local/token', body: JSON.stringify({ email, admin: true }) });
    return (JSON.parse(text) as { access_token: string }).access_token;
  };
  const token = await tokenFor('bench@example.com');
  await importAll(port, token);

  const first = await send(port, { path: '/api/projects' });
  const slugs = (JSON.parse(first.text) as { data: { slug: string }[] }).data.map((project) => project.slug);
  const bare = createServer((_, answer) => answer.writeHead(200, { 'content-type': 'application/json' }).end(first.text));
  await once(bare.listen(0, '127.0.0.1'), 'listening');
  const barePort = (bare.address() as AddressInfo).port;

  let turn = 0;
  const slug = () => slugs[turn++ % slugs.length] as string;
  const asks: readonly (readonly [string, number, () => Ask])[] = [
    ['bare server, bytes of the first page', barePort, () => ({ path: '/' })],
    ['list: first page', port, () => ({ path: '/api/projects' })],
    ['list: category', port, () => ({ path: '/api/projects?category=micro' })],
    ['list: category, pricing, by upvotes', port, () => ({ path: '/api/projects?category=micro&pricing=paid&sort=upvotes' })],
    ['list: page 200', port, () => ({ path: '/api/projects?page=200' })],
    ['list: q, common', port, () => ({ path: '/api/projects?q=brau' })],
    ['list: q, 2 characters', port, () => ({ path: '/api/projects?q=zu' })],
    ['list: facets', port, () => ({ path: '/api/projects?facets=category,sphere,pricing' })],
    ['read: one project', port, () => ({ path: `/api/projects/${slug()}` })],
    ['vote: toggle', port, () => ({ method: 'POST', path: `/api/projects/${slug()}/upvote`, token })],
  ];
  console.log(`\n${'request'.padEnd(38)}${'median ms'.padStart(10)}${'p99 ms'.padStart(9)}${'req/s at 16'.padStart(13)}${'of bare'.padStart(9)}`);
  let reference = 0;
  for (const [name, to, next] of asks) {
    const { median, p99, perSecond } = await measure(to, next);
    reference ||= perSecond;
    console.log(
      `${name.padEnd(38)}${median.toFixed(2).padStart(10)}${p99.toFixed(2).padStart(9)}${perSecond.toFixed(0).padStart(13)}${(perSecond / reference).toFixed(3).padStart(9)}`,
    );
  }
  bare.close();
} finally {
  agent.destroy();
  child.kill('SIGINT');
  await ended;
  await rm(folder, { recursive: true, force: true });
}
