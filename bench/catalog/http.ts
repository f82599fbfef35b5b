import { execFile } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual, parseArgs, promisify } from 'node:util';
import { Connection } from './connection.ts';
import { Absent, type Contender, highLimits, startBareServer, startPeer, startService } from './contenders.ts';
import { type Measured, startWorker, type Worker } from './measuring.ts';
import { type Question, questions } from './questions.ts';
import { judge, type Results, show } from './results.ts';
import { inTemporaryFolder } from './temporary.ts';
import { startVoting } from './voting.ts';

const HELP = `Measures lists and single reads through the handlers and over HTTP, beside servers on PostgreSQL, on SQLite and on nothing.

  node bench/catalog/http.ts [--listings 50000] [--rounds 3] [--quick] [--only text] [--without peer]
                             [--votes 1] [--seed 1]

  --listings  how many listings (5000, 50000 or 500000; any number will do)
  --rounds    how often each question is measured; the servers take turns within a round (default 3)
  --quick     one short round: to see that all works, not what it costs
  --only      only the questions whose name contains this text
  --without   leave out postgresql, sqlite, bare or handler; may be repeated
  --votes     how many votes a second are cast in all of them meanwhile, through the service's own interface (default 1); 0 for
              a directory that stands still, whose answers can be kept
  --seed      of the made-up directory (default 1)

Before anything is measured, every form of every question is asked of all servers, and their answers must be the same: the
same listings in the same order, whole, with the same total and counts; and once more after all the votes. In between, per question and server: median and 99th of 100
of one request at a time, in milliseconds, and requests per second with 16 on their way. "handler" is a gateway's event in
and an answer out, without HTTP, and with the settings of a function among others: each request is counted in the table one by one.

Every server has a process of its own, and so has what sends the requests. All of it is on the loopback, in temporary folders,
and goes away afterwards. PostgreSQL comes from Debian's package (apt-get install postgresql) and is started here as an unprivileged
user; the peers' libraries are installed by npm ci --prefix bench/peers. What is missing is left out.`;

const { values: options } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    listings: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '3' },
    votes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    without: { type: 'string', multiple: true, default: [] },
  },
});

const TOGETHER = 16;
const READS = 64;
/** By then every reader of the feed has seen the last vote. */
const CAUGHT_UP_MS = 1500;
const spans = options.quick ? { warm: 100, alone: 150, together: 250 } : { warm: 400, alone: 600, together: 800 };

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** Slugs of live listings, spread over the file. */
const someSlugs = async (listingsFile: string, size: number): Promise<string[]> => {
  const slugs: string[] = [];
  const step = Math.max(1, Math.floor(size / READS));
  let at = 0;
  for await (const line of createInterface({ input: createReadStream(listingsFile) })) {
    at += 1;
    if (slugs.length * step > at) continue;
    const { view } = JSON.parse(line) as { view: { slug: string; status: string; deleted_at: string | null } };
    if (view.status === 'live' && view.deleted_at === null) slugs.push(view.slug);
  }
  return slugs.slice(0, READS);
};

interface Body {
  readonly data: unknown;
  readonly meta?: { readonly nextCursor: string | null };
}

/** What must be the same everywhere; a cursor is each server's own, but whether there is one is not. */
const comparable = (body: Buffer): unknown => {
  const { data, meta } = JSON.parse(body.toString('utf8')) as Body;
  return { data, ...(meta && { meta: { ...meta, nextCursor: meta.nextCursor !== null } }) };
};

const describe = (answer: unknown): string => {
  const { data, meta } = answer as { data: unknown; meta?: unknown };
  const shown = Array.isArray(data) ? data.map(({ id }: { id: string }) => id) : data;
  return JSON.stringify({ meta, shown }).slice(0, 1500);
};

const FIRST_ANSWER_MS = 120_000;

/** Asks once; the first time the service may have to load everything first. */
const ask = async (connection: Connection, path: string): Promise<Buffer> => {
  const deadline = performance.now() + FIRST_ANSWER_MS;
  for (;;) {
    const { status, body } = await connection.read(path);
    if (status === 200) return body;
    if (status < 500 || performance.now() > deadline)
      throw new Error(`${path} answered ${status}: ${body.toString('utf8')}`);
  }
};

/** Asks everything of the service and holds the others to it. @returns the service's answers by path. */
const compare = async (
  service: Contender,
  peers: readonly Contender[],
  asked: readonly Question[],
): Promise<Record<string, string>> => {
  const answers: Record<string, string> = {};
  const connections = new Map([service, ...peers].map((one) => [one, new Connection(one.port)]));
  const of = (one: Contender, path: string) => ask(connections.get(one) as Connection, path);
  const differing: string[] = [];
  for (const path of asked.flatMap(({ paths }) => paths)) {
    const answer = await of(service, path);
    answers[path] = answer.toString('utf8');
    const expected = comparable(answer);
    for (const peer of peers) {
      const found = comparable(await of(peer, path));
      if (isDeepStrictEqual(found, expected)) continue;
      differing.push(`${path}\n  ${service.name} ${describe(expected)}\n  ${peer.name} ${describe(found)}`);
    }
  }
  for (const connection of connections.values()) connection.close();
  if (differing.length > 0) {
    throw new Error(`${differing.length} answers differ:\n${differing.slice(0, 5).join('\n')}`);
  }
  return answers;
};

/** One of what is measured: a server, or the handlers in a process of their own. */
interface Lane {
  readonly name: string;
  readonly port: number;
  readonly worker: Worker;
}

const measure = async (lanes: readonly Lane[], asked: readonly Question[], rounds: number): Promise<Results> => {
  const results: Results = new Map();
  for (const { name, kind, paths } of asked) {
    const taken = new Map<string, { alone: Measured[]; together: Measured[] }>(
      lanes.map((lane) => [lane.name, { alone: [], together: [] }]),
    );
    for (const { worker, port } of lanes) {
      await worker.measure({ port, paths, together: TOGETHER, milliseconds: spans.warm });
    }
    for (let round = 0; round < rounds; round += 1) {
      // Nobody is always the first after a pause.
      const turn = round % lanes.length;
      for (const lane of [...lanes.slice(turn), ...lanes.slice(0, turn)]) {
        const { worker, port } = lane;
        const of = taken.get(lane.name);
        of?.alone.push(await worker.measure({ port, paths, together: 1, milliseconds: spans.alone }));
        of?.together.push(await worker.measure({ port, paths, together: TOGETHER, milliseconds: spans.together }));
      }
    }
    results.set(name, { kind, lanes: taken });
    process.stderr.write('.');
  }
  process.stderr.write('\n');
  return results;
};

const main = (size: number): Promise<void> =>
  inTemporaryFolder('bench-catalog-', async (folder, atEnd) => {
    const began = async (contender: Promise<Contender>): Promise<Contender> => {
      const running = await contender;
      atEnd(() => running.stop());
      return running;
    };
    const load = [here('load.ts'), '--folder', folder, '--listings', String(size), '--seed', options.seed];
    console.log((await promisify(execFile)(process.execPath, load)).stdout.trim());
    const listingsFile = join(folder, 'listings.ndjson');
    const service = await began(startService(join(folder, 'service')));
    const peers: Contender[] = [];
    for (const peer of ['postgresql', 'sqlite'] as const) {
      if (options.without.includes(peer)) continue;
      try {
        peers.push(await began(startPeer(peer, listingsFile)));
      } catch (error) {
        if (!(error instanceof Absent)) throw error;
        console.log(`${peer} is left out. ${error.message}`);
      }
    }
    const slugs = await someSlugs(listingsFile, size);
    const asked = questions(size, slugs).filter(({ name }) => name.includes(options.only));
    const answers = await compare(service, peers, asked);
    console.log(
      `${Object.keys(answers).length} requests asked of ${['service', ...peers.map(({ name }) => name)].join(', ')}: the same answers.`,
    );

    const answersFile = join(folder, 'answers.json');
    await writeFile(answersFile, JSON.stringify(answers));
    const generator = await startWorker(here('load-generator.ts'));
    atEnd(() => generator.stop());
    const lanes: Lane[] = [service, ...peers].map(({ name, port }) => ({ name, port, worker: generator }));
    if (!options.without.includes('bare')) {
      const bare = await began(startBareServer(answersFile));
      lanes.push({ name: bare.name, port: bare.port, worker: generator });
    }
    if (!options.without.includes('handler')) {
      const env = { ...highLimits, LOG_LEVEL: 'WARN', DATA_DIR: join(folder, 'service') };
      const worker = await startWorker(here('in-process.ts'), env);
      atEnd(() => worker.stop());
      lanes.push({ name: 'handler', port: 0, worker });
    }
    const voter = await startVoting(service, peers, slugs, Number(options.votes));
    atEnd(() => voter.stop().catch(() => undefined));
    const results = await measure(lanes, asked, options.quick ? 1 : Number(options.rounds));
    const votes = await voter.stop();
    await wait(CAUGHT_UP_MS);
    await compare(service, peers, asked);
    console.log(`After ${votes} votes: the same answers.`);
    console.log(
      show(
        results,
        lanes.map(({ name }) => name),
      ),
    );
    console.log(judge(results, size));
  });

if (options.help) console.log(HELP);
else await main(Number(options.listings));
