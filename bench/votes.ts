import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { Connection } from './catalog/connection.ts';
import { sendContinuously } from './catalog/measuring.ts';
import { type RunningServer, startPeer, startService } from './catalog/servers.ts';
import { inTemporaryFolder } from './catalog/temporary.ts';

const HELP = `Measures votes over HTTP, compared with Fastify and PostgreSQL.

  node bench/votes.ts [--listings 5000] [--users 64] [--seconds 5] [--rounds 3]

Every vote is one that was not there before. The peer runs one transaction that inserts the vote and an outbox row and
increments the counter of the listing, and counts the request of the caller before it. It writes nothing to disk before it
responds, and it neither authenticates the caller nor publishes the outbox; the service does both.

Prints per concurrency (1 and 16) and server the votes per second, the median of the rounds, which alternate between the
servers, with the median and the 99th percentile of the time of a vote in milliseconds. Requires PostgreSQL
(apt-get install postgresql) and npm ci --prefix bench/peers.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    listings: { type: 'string', default: '5000' },
    users: { type: 'string', default: '64' },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
  },
});

const CONCURRENCIES = [1, 16];
const WARM_MS = 1500;
const OK = 200;

const slugsIn = async (listingsFile: string): Promise<string[]> => {
  const slugs: string[] = [];
  for await (const line of createInterface({ input: createReadStream(listingsFile) })) {
    const { view } = JSON.parse(line) as { view: { slug: string; status: string; deleted_at: string | null } };
    if (view.status === 'live' && view.deleted_at === null) slugs.push(view.slug);
  }
  return slugs;
};

const tokenOf = async (service: RunningServer, user: number): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${service.port}/_local/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: `bench-${user}@example.com` }),
  });
  return ((await response.json()) as { access_token: string }).access_token;
};

const requestOf = (slug: string, token: string): Buffer =>
  Buffer.from(
    `POST /api/projects/${slug}/upvote HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 0\r\n\r\n`,
  );

/** A server with its votes, none of them twice: each listing by the first user, then each by the second, and so on. */
class Voted {
  readonly name: string;
  readonly rounds = new Map(
    CONCURRENCIES.map((concurrency) => [concurrency, { perSecond: [] as number[], times: [] as number[] }]),
  );
  readonly #connections: readonly Connection[];
  readonly #slugs: readonly string[];
  readonly #tokens: readonly string[];
  #sent = 0;

  constructor({ name, port }: RunningServer, slugs: readonly string[], tokens: readonly string[]) {
    this.name = name;
    this.#connections = Array.from({ length: Math.max(...CONCURRENCIES) }, () => new Connection(port));
    this.#slugs = slugs;
    this.#tokens = tokens;
  }

  async vote(concurrency: number, milliseconds: number) {
    const senders = this.#connections.slice(0, concurrency).map((connection) => () => this.#send(connection));
    return await sendContinuously(senders, { startAt: 0, milliseconds });
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #send(connection: Connection): Promise<void> {
    const slug = this.#slugs[this.#sent % this.#slugs.length] as string;
    const token = this.#tokens[Math.floor(this.#sent / this.#slugs.length)];
    if (token === undefined) throw new Error('All users have voted for all listings: more --users are needed.');
    this.#sent += 1;
    return new Promise((resolve, reject) => {
      connection.send(requestOf(slug, token), true, (error, response) => {
        const body = response?.body?.toString() ?? '';
        if (response?.status === OK && body.includes('"upvoted":true')) resolve();
        else reject(error ?? new Error(`${this.name} answered ${response?.status}: ${body}`));
      });
    });
  }
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;

const main = (): Promise<void> =>
  inTemporaryFolder('bench-votes-', async (folder, onCleanup) => {
    const generator = fileURLToPath(new URL('catalog/load.ts', import.meta.url));
    const load = [generator, '--folder', folder, '--listings', options.listings];
    console.log((await promisify(execFile)(process.execPath, load)).stdout.trim());
    const listingsFile = join(folder, 'listings.ndjson');
    const service = await startService(join(folder, 'service'));
    onCleanup(() => service.stop());
    const peer = await startPeer('votes', listingsFile);
    onCleanup(() => peer.stop());

    const slugs = await slugsIn(listingsFile);
    const users = Array.from({ length: Number(options.users) }, (_, user) => user);
    const tokens = await Promise.all(users.map((user) => tokenOf(service, user)));
    const voted = [new Voted(service, slugs, tokens), new Voted(peer, slugs, users.map(String))];
    onCleanup(async () => {
      for (const one of voted) one.close();
    });
    for (const one of voted) for (const concurrency of CONCURRENCIES) await one.vote(concurrency, WARM_MS);
    for (let round = 0; round < Number(options.rounds); round += 1) {
      for (const concurrency of CONCURRENCIES) {
        for (const one of round % 2 === 0 ? voted : voted.toReversed()) {
          const { perSecond, times } = await one.vote(concurrency, Number(options.seconds) * 1000);
          one.rounds.get(concurrency)?.perSecond.push(perSecond);
          one.rounds.get(concurrency)?.times.push(...times);
        }
      }
    }
    for (const concurrency of CONCURRENCIES) {
      const [ours = Number.NaN, theirs = Number.NaN] = voted.map(({ name, rounds }) => {
        const { perSecond, times } = rounds.get(concurrency) ?? { perSecond: [], times: [] };
        const [votes, p50, p99] = [quantile(perSecond, 0.5), quantile(times, 0.5), quantile(times, 0.99)];
        const figures = `${votes.toFixed(0)} votes/s, ${p50.toFixed(1)} / ${p99.toFixed(1)} ms`;
        console.log(`${String(concurrency).padStart(2)} connections  ${name.padEnd(8)} ${figures}`);
        return votes;
      });
      console.log(`                ratio    ${(ours / theirs).toFixed(2)}`);
    }
  });

if (options.help) console.log(HELP);
else await main();
