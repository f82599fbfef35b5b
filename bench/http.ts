import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Ask, importListings, send, startService } from './service.ts';

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

const seconds = option('seconds', 3);

const rankOf = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

const WARM_UP = 50;
const TOGETHER = 16;

const measure = async (port: number, next: () => Ask) => {
  for (let warm = 0; warm < WARM_UP; warm += 1) await send(port, next());
  const times: number[] = [];
  const alone = performance.now() + seconds * 1000;
  while (performance.now() < alone) {
    const ask = next();
    const from = performance.now();
    const { status } = await send(port, ask);
    if (status >= 400) throw new Error(`${ask.path} answered ${status}.`);
    times.push(performance.now() - from);
  }
  let done = 0;
  const from = performance.now();
  const until = from + seconds * 1000;
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      while (performance.now() < until) {
        await send(port, next());
        done += 1;
      }
    }),
  );
  const perSecond = (done * 1000) / (performance.now() - from);
  times.sort((a, b) => a - b);
  return { median: rankOf(times, 0.5), p99: rankOf(times, 0.99), perSecond };
};

const service = await startService();
try {
  const { port, adminToken: token } = service;
  await importListings(service, option('listings', 11_000));

  const first = await send(port, { path: '/api/projects' });
  const slugs = (JSON.parse(first.text) as { data: { slug: string }[] }).data.map((project) => project.slug);
  const bare = createServer((_, answer) =>
    answer.writeHead(200, { 'content-type': 'application/json' }).end(first.text),
  );
  await once(bare.listen(0, '127.0.0.1'), 'listening');
  const barePort = (bare.address() as AddressInfo).port;

  let turn = 0;
  const slug = () => slugs[turn++ % slugs.length] as string;
  const list = (query: string) => () => ({ path: `/api/projects?${query}` });
  const asks: readonly (readonly [string, number, () => Ask])[] = [
    ['bare server, bytes of the first page', barePort, () => ({ path: '/' })],
    ['list: first page', port, list('')],
    ['list: category', port, list('category=micro')],
    ['list: category, pricing, by upvotes', port, list('category=micro&pricing=paid&sort=upvotes')],
    ['list: page 200', port, list('page=200')],
    ['list: q, common', port, list('q=brau')],
    ['list: q, 2 characters', port, list('q=zu')],
    ['list: facets', port, list('facets=category,sphere,pricing')],
    ['read: one project', port, () => ({ path: `/api/projects/${slug()}` })],
    ['vote: toggle', port, () => ({ method: 'POST', path: `/api/projects/${slug()}/upvote`, token })],
  ];
  console.log(
    `\n${'request'.padEnd(38)}${'median ms'.padStart(10)}${'p99 ms'.padStart(9)}${`req/s at ${TOGETHER}`.padStart(13)}${'of bare'.padStart(9)}`,
  );
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
  await service.stop();
}
