import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { tiers } from '#contract/route.ts';
import { importHandler } from '#local/handlers.ts';
import { type LocalServer, type LocalServerOptions, startLocalServer } from '#local/server.ts';
import { recordingCalls } from './aws-calls.ts';
import { type Client, clientOf } from './client.ts';
import { assertMatchesDocument } from './conformance.ts';
import { runFolder } from './run-folder.ts';
import { featureToSwitchOff, switchedOff } from './without-feature.ts';

/** A local server with a client for it. */
export interface TestServer extends Client {
  readonly server: LocalServer;
  stop(): Promise<void>;
}

/** A new data folder. It is removed with the folder of the run at the latest. */
export const temporaryDataDir = (): string => mkdtempSync(path.join(runFolder(), 'data-'));

/** Requests may take longer on a busy machine; deadlines are tested with tables of routes of their own. */
const TIMEOUT_FACTOR = 30;

/** Rate limits that no test reaches by accident, a table that a busy machine does not time out, and pages as deployed, for search engines, in all languages. */
const DEFAULTS = {
  // Some shells set it.
  HOST: undefined,
  SITE_INDEX: 'on',
  SITE_LANGUAGES: 'en,de,es,fr',
  RATE_COUNTER_TIMEOUT_MS: '20000',
  TABLE_TIMEOUT_MS: '30000',
  ...Object.fromEntries(tiers.map((tier) => [`RATE_LIMIT_${tier.toUpperCase()}`, '1000000/60'])),
};

/** The secrets that a server demands of tests with an issuer, a payment provider or a public address of their own. */
export const OWN_SECRETS = { CRON_SECRET: 'job-secret-of-the-tests', STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests' };

/**
 * Starts an empty server on a free port for one test file; `stop` removes its data. A process can start one server only,
 * because settings are read once per process: files that call this are named `*.own-server.test.ts`.
 */
export const startTestServer = async (
  options: Partial<Omit<LocalServerOptions, 'port' | 'dataDir'>> = {},
): Promise<TestServer> => {
  const dataDir = temporaryDataDir();
  const without = featureToSwitchOff(options.env);
  try {
    const server = await startLocalServer({
      timeoutFactor: TIMEOUT_FACTOR,
      ...options,
      importHandler: recordingCalls(options.importHandler ?? importHandler),
      port: 0,
      dataDir,
      env: { LOG_LEVEL: process.env.LOG_LEVEL ?? 'CRITICAL', ...DEFAULTS, ...switchedOff(without), ...options.env },
    });
    const check = options.routes ? () => undefined : assertMatchesDocument;
    const client = clientOf(`http://127.0.0.1:${server.port}`, { check, without });
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
