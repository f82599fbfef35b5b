import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Route } from '#contract/route.ts';
import { routes as allRoutes } from '#contract/table.ts';
import { outboxFilter } from '#data/event-log.ts';
import { type Job, jobs, requestedRunsOf } from '#events/jobs.ts';
import {
  subscriptions as allSubscriptions,
  mailFeedback,
  replaysOf,
  type Subscription,
} from '#events/subscriptions.ts';
import { environment, readEnvironment } from '#platform/environment.ts';
import { log } from '#platform/log.ts';
import { withTimeLimit } from '#platform/time-limit.ts';
import { serveAws } from './aws-endpoint.ts';
import { type Bus, type BusOptions, openBus } from './bus.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { startEngine, useEngine } from './engine.ts';
import {
  addressOf,
  databaseSettings,
  defaultSettings,
  externalCredentials,
  hasLocalIssuer,
  isClosed,
  issuerOf,
  localProblems,
  randomCredentials,
  setVariables,
  singleProcessSettings,
  unsetOf,
  type Variables,
  withoutAwsConfiguration,
} from './environment.ts';
import { startGateway } from './gateway.ts';
import { cacheHandlers, type ImportHandler, importHandler as importFromFunctions } from './handlers.ts';
import { createIssuer } from './issuer.ts';
import { openCheckpoints, openJournal } from './journal.ts';
import { openKeyService } from './key-service.ts';
import { lambdaContext } from './lambda-context.ts';
import { provideStreaming } from './lambda-streaming.ts';
import type { LocalRoute } from './local-route.ts';
import { type MailService, openMailService } from './mail.ts';
import { serveStripeApi } from './mock-stripe/api.ts';
import { openMockStripe } from './mock-stripe/mock-stripe.ts';
import { paymentPageRoutes } from './mock-stripe/page.ts';
import { WEBHOOK_SOURCE, WEBHOOK_TRIGGER, webhookSender } from './mock-stripe/webhooks.ts';
import { openObjectStorage } from './object-storage.ts';
import { pageRoutes } from './pages.ts';
import { releaseRun } from './run-lock.ts';
import { sampleImageRoutes } from './sample-images.ts';
import { startSchedules } from './schedules.ts';
import { openSecretFile } from './secret-file.ts';
import { StartupError, startupErrorOf } from './startup-error.ts';
import { watchStorage } from './storage.ts';
import { openStreamLog } from './stream-log.ts';
import { pollStream } from './stream-poller.ts';
import { ensureTable } from './table.ts';
import { watchTableSize } from './table-size.ts';
import { openTableStream } from './table-stream.ts';
import { sweepExpired } from './ttl-sweeper.ts';
import { openWorkerHandlers } from './worker-handlers.ts';

export interface LocalServerOptions {
  /** 0 takes any free port. */
  readonly port: number;
  readonly dataDir: string;
  /** Settings that take precedence over those of the process. */
  readonly env?: Variables;
  readonly tableName?: string;
  /** Called at every start, before the first request is handled; must be idempotent. */
  readonly seed?: () => Promise<void>;
  /** Replaces the route table, for tests. */
  readonly routes?: readonly Route[];
  /** Runs the jobs by their schedules unless `LOCAL_SCHEDULES` is off; off by default. */
  readonly schedules?: boolean;
  /** Replaces the service's subscriptions, for tests. */
  readonly subscriptions?: readonly Subscription[];
  /** Replaces the import from `functions/`, for tests. */
  readonly importHandler?: ImportHandler;
  /** Replaces the address of the local issuer's keys, for tests. */
  readonly keysUrl?: string;
  /** Runs subscribers, jobs and the publisher in a worker thread of their own. */
  readonly backgroundWorker?: boolean;
  /** Replaces the retries of the bus, for tests. */
  readonly retries?: Pick<BusOptions, 'firstPauseMs' | 'triesMax'>;
  /** Multiplies the timeouts of the functions, for slow or busy machines; 1 by default. */
  readonly timeoutFactor?: number;
}

/** The whole service on this machine. */
export interface LocalServer {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly bus: Bus;
  readonly mail: MailService;
  readonly databaseEndpoint: string;
  /** The mocks of EventBridge and SES. */
  readonly awsEndpoint: string;
  /** The mock of Stripe's API. */
  readonly stripeEndpoint: string;
  readonly tableName: string;
  /** Stops all parts in the reverse order of their start; running requests have a few seconds to end. */
  stop(): Promise<void>;
}

const PUBLISHER_TIMEOUT_SECONDS = 60;

/** Cleanup functions of what has been started, run in reverse order. */
class Cleanups {
  readonly #cleanups: (() => unknown)[] = [];

  add(cleanup: () => unknown): void {
    this.#cleanups.unshift(cleanup);
  }

  async run(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0)) {
      try {
        await cleanup();
      } catch (error) {
        // The remaining parts are stopped nevertheless.
        log.error('a part of the server could not be stopped', { error: error as Error });
      }
    }
  }
}

/** Opens the simulated AWS services and points the settings of this process at them. */
const startMocks = async (
  cleanups: Cleanups,
  journal: DatabaseSync,
  folder: DataFolder,
  port: number,
  subscriptions: readonly Subscription[],
  importHandler: ImportHandler,
  retries: LocalServerOptions['retries'],
) => {
  const storage = watchStorage(journal, folder.path);
  const { id, source, kinds } = mailFeedback;
  const replays = replaysOf(id);
  const triggers = [
    {
      id,
      pattern: {
        source: [source, ...replays.source],
        'detail-type': [...Object.values(kinds), ...replays['detail-type']],
      },
    },
    ...(jobs as readonly Job[]).map((job) => ({
      id: job.route.id,
      pattern: requestedRunsOf(job),
      timeoutSeconds: job.timeoutSeconds,
    })),
    WEBHOOK_TRIGGER,
  ];
  const sendWebhook = webhookSender(`http://127.0.0.1:${port}/api/webhooks/stripe`);
  const bus = openBus({
    journal,
    storage,
    subscriptions,
    triggers,
    importHandler: async (handlerId) =>
      handlerId === WEBHOOK_TRIGGER.id ? sendWebhook : await importHandler(handlerId),
    beforeResuming: releaseRun,
    ...retries,
  });
  const mail = openMailService(journal, storage, (feedback) => void bus.publish(feedback));
  const aws = await serveAws(bus, mail, openKeyService(folder.file('secrets-key.json')));
  cleanups.add(() => aws.stop());

  const mockStripe = openMockStripe(journal, `http://localhost:${port}`, (type, event) =>
    bus.publish({ source: WEBHOOK_SOURCE, kind: type, detail: event }),
  );
  const stripeKey = `sk_test_local${randomBytes(16).toString('hex')}`;
  const stripeApi = await serveStripeApi(mockStripe, `http://localhost:${port}`, stripeKey);
  cleanups.add(() => stripeApi.stop());
  return { bus, mail, mockStripe, awsEndpoint: aws.url, stripeEndpoint: stripeApi.url, stripeKey };
};

/** Creates the table and starts the stream poller, the TTL sweeper and, for the embedded engine, the log trimmer. */
const startTable = async (
  cleanups: Cleanups,
  journal: DatabaseSync,
  folder: DataFolder,
  importHandler: ImportHandler,
  isEmbedded: boolean,
): Promise<void> => {
  const tableName = environment().table;
  const client = new DynamoDBClient({});
  cleanups.add(() => client.destroy());
  const { streamArn } = await ensureTable(client, tableName);
  if (!streamArn) {
    throw new StartupError(`The table ${tableName} has no stream. Delete it, and the next start creates one with it.`);
  }

  const swept = new Set<string>();
  const publish = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const handler = await importHandler('events.publish');
    const context = lambdaContext('events.publish', 'stream', PUBLISHER_TIMEOUT_SECONDS);
    const result = await withTimeLimit(PUBLISHER_TIMEOUT_SECONDS * 1000, () => handler(event, context));
    return result as DynamoDBBatchResponse;
  };
  const checkpoints = openCheckpoints(journal);
  const streamLog = isEmbedded ? openStreamLog(folder.file('table.sqlite'), tableName) : undefined;
  cleanups.add(() => streamLog?.close());
  const [{ prefix }] = outboxFilter.dynamodb.Keys.pk.S;
  const poller = pollStream({
    stream: openTableStream(streamArn),
    filter: outboxFilter,
    deliver: publish,
    checkpoints,
    swept,
    ...(streamLog && { newestIfNone: (shard, after) => streamLog.newestIfNone(shard, after, prefix) }),
  });
  cleanups.add(() => poller.stop());
  const sweeper = sweepExpired(client, tableName, swept);
  cleanups.add(() => sweeper.stop());
  const size = isEmbedded ? watchTableSize(folder.file('table.sqlite')) : undefined;
  cleanups.add(() => size?.stop());
  const trimmer = streamLog?.trim(() => poller.consumed());
  cleanups.add(() => trimmer?.stop());
};

/** Like `Promise.all`, but waits for all also when one fails, so that nothing starts during the cleanup. */
const allSettledOrThrow = async <T extends readonly Promise<unknown>[]>(
  ...promises: T
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> => {
  await Promise.allSettled(promises);
  return await Promise.all(promises);
};

/**
 * Checks the settings of the user, before anything is opened or written.
 * @throws {StartupError}
 */
const checkSettings = (port: number): void => {
  const given = process.env;
  const defaults = defaultSettings({ port, awsEndpoint: 'http://localhost', localIssuer: hasLocalIssuer(given) });
  try {
    readEnvironment({ ...given, ...unsetOf(defaults, given) }, localProblems(given));
  } catch (cause) {
    throw new StartupError((cause as Error).message, { cause });
  }
};

let hasStarted = false;

/**
 * Starts the whole service. Once per process: settings and AWS clients are created once.
 * @throws {StartupError} when the data folder or the port is in use, or a setting is invalid.
 */
export const startLocalServer = async (options: LocalServerOptions): Promise<LocalServer> => {
  if (hasStarted) throw new Error('A process can start one local server only.');
  hasStarted = true;
  const { routes = allRoutes, subscriptions = allSubscriptions } = options;
  const importHandler = cacheHandlers(options.importHandler ?? importFromFunctions);
  const cleanups = new Cleanups();
  const ready = Promise.withResolvers<void>();
  // A failed start without waiting requests is no unhandled rejection.
  ready.promise.catch(() => undefined);
  try {
    const externalEngine = (options.env?.DYNAMODB_ENDPOINT ?? process.env.DYNAMODB_ENDPOINT) || undefined;
    cleanups.add(setVariables(withoutAwsConfiguration(process.env, externalEngine)));
    cleanups.add(setVariables({ ...options.env, ...(options.tableName && { TABLE_NAME: options.tableName }) }));
    checkSettings(options.port);

    const folder = await openDataFolder(options.dataDir);
    cleanups.add(() => folder.release());

    // Listens first, because a port in use ends the start. Requests wait for the rest.
    let localRoutes: readonly LocalRoute[] = [];
    const gateway = await startGateway({
      host: process.env.HOST || undefined,
      port: options.port,
      routes,
      importHandler,
      localRoutes: () => localRoutes,
      ready: ready.promise,
      timeoutFactor: options.timeoutFactor ?? 1,
    });
    cleanups.add(() => gateway.stop());
    const { port } = gateway;

    const journal = openJournal(folder.file('journal.sqlite'));
    cleanups.add(() => journal.close());
    const workerHandlers = options.backgroundWorker ? openWorkerHandlers() : undefined;
    cleanups.add(() => workerHandlers?.stop());
    const inBackground = workerHandlers?.importHandler ?? importHandler;
    const mocks = await startMocks(cleanups, journal, folder, port, subscriptions, inBackground, options.retries);
    const { bus, mail, mockStripe, awsEndpoint, stripeEndpoint, stripeKey } = mocks;

    // A Stripe key in the environment selects Stripe itself, or another mock.
    const endpoints = {
      port,
      awsEndpoint,
      localIssuer: hasLocalIssuer(process.env),
      ...(options.keysUrl && { keysUrl: options.keysUrl }),
      hasSite: process.env.FEATURE_SITE !== 'off',
      ownUrl: addressOf(process.env.HOST, port),
      ...(process.env.SITE_URL && { siteUrl: process.env.SITE_URL.replace(/\/+$/, '') }),
      isClosed: isClosed(process.env),
      ...(!process.env.STRIPE_SECRET_KEY && { stripeEndpoint, stripeKey }),
    };
    const unsubscribeKey = openSecretFile(
      folder.file('unsubscribe-key.json'),
      'links to unsubscribe in earlier mails end',
    );
    const defaults = {
      ...defaultSettings(endpoints),
      ...(!externalEngine && singleProcessSettings),
      UNSUBSCRIBE_SECRET: unsubscribeKey.toString('hex'),
    };
    const credentials = externalEngine ? externalCredentials(process.env) : randomCredentials();
    cleanups.add(setVariables({ ...unsetOf(defaults, process.env), ...credentials }));
    log.setLogLevel(process.env.LOG_LEVEL as Parameters<typeof log.setLogLevel>[0]);
    provideStreaming();

    const engine = externalEngine
      ? await useEngine(externalEngine)
      : await startEngine(folder.file('table.sqlite'), folder.file('engine.json'));
    cleanups.add(() => engine.stop());
    cleanups.add(setVariables(databaseSettings(engine.endpoint)));
    cleanups.add(() => bus.stop());
    const [issuerRoutes] = await allSettledOrThrow(
      createIssuer(folder.file('issuer-key.json'), issuerOf(port)),
      startTable(cleanups, journal, folder, inBackground, !externalEngine),
    );
    const objectStorage = openObjectStorage(folder.file('uploads'));
    const lifecycle = await objectStorage.startLifecycle();
    cleanups.add(() => lifecycle.stop());
    localRoutes = [
      ...objectStorage.routes,
      ...pageRoutes({ port, bus, mail }),
      ...paymentPageRoutes(mockStripe, bus),
      ...issuerRoutes,
      ...sampleImageRoutes,
    ];

    // Added again, so that it is stopped first: running requests need the other parts.
    cleanups.add(() => gateway.stop());
    bus.start();
    // Stopped before the gateway, to which it sends webhooks.
    cleanups.add(() => bus.stop());
    await options.seed?.();
    if (options.schedules && environment().localSchedules) {
      const schedules = startSchedules({ jobs, importHandler: inBackground, checkpoints: openCheckpoints(journal) });
      cleanups.add(() => schedules.stop());
    }
    ready.resolve();

    return {
      url: `http://localhost:${port}`,
      port,
      dataDir: folder.path,
      bus,
      mail,
      databaseEndpoint: engine.endpoint,
      awsEndpoint,
      stripeEndpoint,
      tableName: environment().table,
      stop: () => cleanups.run(),
    };
  } catch (error) {
    ready.reject(error);
    await cleanups.run();
    throw startupErrorOf(error, options.dataDir);
  }
};
