import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, rmSync } from 'node:fs';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Pool } from 'pg';

const run = promisify(execFile);

/** A PostgreSQL server with a temporary data folder. */
interface Cluster {
  /** The folder of its Unix socket; it does not listen on TCP. */
  readonly socketFolder: string;
  stop(): Promise<void>;
}

/** The folder of PostgreSQL's programs: `PG_BIN`, or the newest of the Debian packages. */
const programs = (): string => {
  const folders = process.env.PG_BIN ? [process.env.PG_BIN] : globSync('/usr/lib/postgresql/*/bin').toSorted();
  const found = folders.filter((folder) => existsSync(join(folder, 'initdb'))).at(-1);
  if (found) return found;
  throw new Error('PostgreSQL is not installed. On Debian: apt-get install postgresql. Elsewhere: set PG_BIN.');
};

/** The user that runs it when this process runs as root, which PostgreSQL rejects. */
const UNPRIVILEGED = { uid: 65_534, gid: 65_534 };

// Durability is off because the data is temporary; the rest follows the manual's advice for reading. Generic plans,
// made without the category or text, are several times slower than planning each query, which takes 0.1 ms.
const SETTINGS = `
listen_addresses = ''
max_connections = 40
shared_buffers = 1GB
effective_cache_size = 4GB
work_mem = 64MB
maintenance_work_mem = 512MB
random_page_cost = 1.1
jit = off
plan_cache_mode = force_custom_plan
max_parallel_workers_per_gather = 0
fsync = off
synchronous_commit = off
full_page_writes = off
max_wal_size = 8GB
wal_level = minimal
max_wal_senders = 0
autovacuum = off
logging_collector = off
`;

const START_MS = 20_000;

const isUp = async (bin: string, folder: string): Promise<boolean> => {
  try {
    await run(join(bin, 'pg_isready'), ['-h', folder]);
    return true;
  } catch {
    // Not started yet.
    return false;
  }
};

/**
 * Starts a server as an unprivileged user in a temporary folder. @throws when it is not installed or does not start.
 */
const startCluster = async (): Promise<Cluster> => {
  const bin = programs();
  const folder = await mkdtemp(join(tmpdir(), 'bench-postgresql-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const isSuperuser = process.getuid?.() === 0;
  if (isSuperuser) await chown(folder, UNPRIVILEGED.uid, UNPRIVILEGED.gid);
  const identity = isSuperuser ? UNPRIVILEGED : {};
  const data = join(folder, 'data');
  let server: ChildProcess | undefined;
  const stop = async (): Promise<void> => {
    if (server && server.exitCode === null && server.signalCode === null) {
      // PostgreSQL's fast shutdown.
      server.kill('SIGINT');
      await once(server, 'exit');
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const init = ['-D', data, '-U', 'bench', '--auth=trust', '--locale=C', '--encoding=UTF8', '--no-sync'];
    await run(join(bin, 'initdb'), init, { ...identity, cwd: folder });
    await writeFile(join(data, 'postgresql.auto.conf'), SETTINGS);
    const serve = [join(bin, 'postgres'), '-D', data, '-k', folder];
    // Ends the server with this process, however it ends.
    const [program = '', ...args] = existsSync('/usr/bin/setpriv')
      ? ['/usr/bin/setpriv', '--pdeathsig', 'INT', ...serve]
      : serve;
    server = spawn(program, args, { ...identity, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
    let errorOutput = '';
    server.stderr?.setEncoding('utf8').on('data', (words: string) => {
      errorOutput = (errorOutput + words).slice(-2000);
    });
    for (const deadline = performance.now() + START_MS; !(await isUp(bin, folder)); await wait(50)) {
      if (server.exitCode !== null || performance.now() > deadline) {
        throw new Error(`PostgreSQL does not start. ${errorOutput.trim()}`);
      }
    }
    return { socketFolder: folder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Connections to a new server, up to `max`. `close` stops the server too. */
export const startPool = async (max: number): Promise<{ pool: Pool; close: () => Promise<void> }> => {
  const cluster = await startCluster();
  const pool = new Pool({ host: cluster.socketFolder, user: 'bench', database: 'postgres', max });
  // `pool.end()` resolves before its connections are closed; their errors during the shutdown are expected.
  pool.on('error', () => undefined);
  const close = async (): Promise<void> => {
    await pool.end();
    await cluster.stop();
  };
  return { pool, close };
};
