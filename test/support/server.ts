import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { tiers } from '#contract/route.ts';
import { importHandler } from '#local/handlers.ts';
import { endOrphanedEngine } from '#local/orphans.ts';
import { type LocalServer, type LocalServerOptions, startLocalServer } from '#local/server.ts';
import { recordingCalls } from './aws-calls.ts';
import { type Client, clientOf } from './client.ts';
import { assertMatchesDocument } from './conformance.ts';

/** A local server with a client for it. */
export interface TestServer extends Client {
  readonly server: LocalServer;
  stop(): Promise<void>;
}

const PREFIX = 'directory-test-';
const ABANDONED_AFTER_MS = 60_000;

const isHeld = (folder: string): boolean => {
  const lock = new DatabaseSync(path.join(folder, 'lock'));
  try {
    lock.exec('BEGIN EXCLUSIVE');
    return false;
  } catch {
    // The lock is held by a running server.
    return true;
  } finally {
    lock.close();
  }
};

/** Removes the data folders and engines that killed test runs have left behind. */
const removeAbandoned = async (): Promise<void> => {
  for (const name of readdirSync(tmpdir()).filter((one) => one.startsWith(PREFIX))) {
    const folder = path.join(tmpdir(), name);
    const { mtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? { mtimeMs: Number.POSITIVE_INFINITY };
    if (Date.now() - mtimeMs < ABANDONED_AFTER_MS || !existsSync(path.join(folder, 'lock')) || isHeld(folder)) continue;
    await endOrphanedEngine(path.join(folder, 'table.sqlite'), path.join(folder, 'engine.json'));
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A new data folder. */
export const temporaryDataDir = (): string => mkdtempSync(path.join(tmpdir(), PREFIX));

/** Requests may take longer on a busy machine; deadlines are tested with tables of routes of their own. */
const TIMEOUT_FACTOR = 30;

/** Rate limits that no test reaches by accident, and a table that a busy machine does not time out. */
const NO_LIMITS = {
  RATE_COUNTER_TIMEOUT_MS: '20000',
  TABLE_TIMEOUT_MS: '30000',
  ...Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60'])),
};

/**
 * Starts an empty server on a free port for one test file; `stop` removes its data. A process can start one server only,
 * because settings are read once per process: files that call this belong into a folder `own-server`.
 */
export const startTestServer = async (
  options: Partial<Omit<LocalServerOptions, 'port' | 'dataDir'>> = {},
): Promise<TestServer> => {
  await removeAbandoned();
  const dataDir = temporaryDataDir();
  try {
    const server = await startLocalServer({
      timeoutFactor: TIMEOUT_FACTOR,
      ...options,
      importHandler: recordingCalls(options.importHandler ?? importHandler),
      port: 0,
      dataDir,
      env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'CRITICAL', ...NO_LIMITS, ...options.env },
    });
    const check = options.routes ? () => undefined : assertMatchesDocument;
    const client = clientOf(`http://127.0.0.1:${server.port}`, { check });
    return {
      ...client,
      server,
      stop: async () => {
        client.close();
        await server.stop();
        rmSync(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    throw error;
  }
};

let shared: Promise<TestServer> | undefined;

/**
 * The server of this test process, with default settings. It is started by the first test file that uses it and serves all
 * files of the process; it ends with the process, and so does its data. Its `stop` does nothing.
 */
export const sharedTestServer = (): Promise<TestServer> => {
  shared ??= startTestServer().then((server) => {
    process.once('exit', () => rmSync(server.server.dataDir, { recursive: true, force: true }));
    return { ...server, stop: async () => undefined };
  });
  return shared;
};
