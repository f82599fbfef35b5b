import type { DatabaseSync } from 'node:sqlite';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBStreamsClient } from '@aws-sdk/client-dynamodb-streams';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import type { Route } from '#contract/route.ts';
import { routes as allRoutes, doorIdOf } from '#contract/table.ts';
import { jobs } from '#events/jobs.ts';
import { mailReturns } from '#events/mail-returns.ts';
import { outboxFilter } from '#events/publish.ts';
import { subscriptions as allSubscriptions, type Subscription } from '#events/subscriptions.ts';
import { log } from '#platform/log.ts';
import { settings } from '#platform/settings.ts';
import { serveAws } from './aws-endpoint.ts';
import type { Background } from './background.ts';
import { type Bus, openBus } from './bus.ts';
import { openCheckoutDesk } from './checkout.ts';
import { serveCheckout } from './checkout-api.ts';
import { checkoutNews } from './checkout-news.ts';
import { checkoutRoutes } from './checkout-page.ts';
import { type DataFolder, openDataFolder } from './data-folder.ts';
import { docsRoutes } from './docs-page.ts';
import { type ImportDoor, importDoor as importFromFunctions, rememberDoors } from './doors.ts';
import { type Engine, startEngine, useEngine } from './engine.ts';
import {
  databaseSettings,
  defaultSettings,
  emptyCredentials,
  issuerOf,
  onlyProcess,
  setVariables,
  type Variables,
} from './environment.ts';
import { startGateway } from './gateway.ts';
import { makeIssuer } from './issuer.ts';
import { memoryIn, openJournal } from './journal.ts';
import { lambdaContext } from './lambda-context.ts';
import { provideStreaming } from './lambda-streaming.ts';
import type { LocalRoute } from './local-route.ts';
import { type MailService, openMailService } from './mail.ts';
import { pageRoutes } from './pages.ts';
import { StartRefused } from './refusal.ts';
import { releaseRun } from './release-run.ts';
import { startSchedules } from './schedules.ts';
import { tendStreamLog } from './stream-log.ts';
import { pollStream } from './stream-poller.ts';
import { ensureTable } from './table.ts';
import { sweepExpired } from './ttl-sweeper.ts';

/** How a world is started. */
export interface WorldOptions {
  /** 0 takes any free port. */
  readonly port: number;
  /** The folder that everything is kept in. */
  readonly dataDir: string;
  /** Settings beside those of the process, which they go before. */
  readonly env?: Variables;
  readonly tableName?: string;
  /** Fills an empty world before the first caller sees it. It is run at every start and must know when it is done. */
  readonly seed?: () => Promise<void>;
  /** Other routes than the table's, for tests. */
  readonly routes?: readonly Route[];
  /** Whether the jobs run by their schedules; they do not unless it is said, and can always be called. */
  readonly schedules?: boolean;
  /** Other subscriptions than the service's, for tests. */
  readonly subscriptions?: readonly Subscription[];
  /** Another way to find handlers than by their files, for tests. */
  readonly importDoor?: ImportDoor;
}

/** The whole service on this machine. */
export interface World {
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly bus: Bus;
  readonly mail: MailService;
  /** The engine that the table is in, and the table's name. */
  readonly databaseEndpoint: string;
  readonly tableName: string;
  /** Ends everything that was started, last started first; requests that run have a few seconds to end. */
  stop(): Promise<void>;
}

/** What has been started, to be ended in the opposite order. */
class Started {
  readonly #ends: (() => unknown)[] = [];

  add(end: () => unknown): void {
    this.#ends.unshift(end);
  }

  async end(): Promise<void> {
    for (const end of this.#ends.splice(0)) {
      try {
        await end();
      } catch (error) {
        // One part that does not end properly must not keep the others.
        log.error('a part could not be ended properly', { error: error as Error });
      }
    }
  }
}

const engineFor = async (folder: DataFolder, foreign: string | undefined): Promise<Engine> =>
  foreign ? await useEngine(foreign) : await startEngine(folder.file('table.sqlite'), folder.file('engine.json'));

/** Starts the table's stream, its publisher and what keeps the table tidy. */
const startTable = async (
  started: Started,
  journal: DatabaseSync,
  folder: DataFolder,
  importDoor: ImportDoor,
  isOwnEngine: boolean,
): Promise<void> => {
  const tableName = settings().table;
  const client = new DynamoDBClient({});
  const streams = new DynamoDBStreamsClient({});
  started.add(() => client.destroy());
  started.add(() => streams.destroy());
  const { streamArn } = await ensureTable(client, tableName);
  if (!streamArn)
    throw new StartRefused(`The table ${tableName} has no stream. Remove it, and it is made anew with one.`);

  const swept = new Set<string>();
  const publish = async (event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> => {
    const handler = await importDoor('events.publish');
    return (await handler(event, lambdaContext('events.publish', 'stream', 60))) as DynamoDBBatchResponse;
  };
  const poller = pollStream({
    streams,
    streamArn,
    filter: outboxFilter,
    deliver: publish,
    memory: memoryIn(journal),
    swept,
  });
  started.add(() => poller.stop());
  const others: Background[] = [
    sweepExpired(client, tableName, swept),
    ...(isOwnEngine ? [tendStreamLog(folder.file('table.sqlite'), tableName, () => poller.consumed())] : []),
  ];
  started.add(() => Promise.all(others.map((one) => one.stop())));
};

const prewarm = async (ids: readonly string[], importDoor: ImportDoor): Promise<void> => {
  // A door that cannot be imported says so when somebody comes to it.
  await Promise.allSettled(ids.map(importDoor));
};

/** Waits for all, also when one fails: nothing may go on starting while the rest is ended again. */
const together = async <T extends readonly Promise<unknown>[]>(
  ...works: T
): Promise<{ -readonly [P in keyof T]: Awaited<T[P]> }> => {
  await Promise.allSettled(works);
  return await Promise.all(works);
};

const checkSettings = (): void => {
  try {
    settings();
  } catch (cause) {
    throw new StartRefused((cause as Error).message, { cause });
  }
};

let isTaken = false;

/**
 * Starts the whole service. One world per process: its settings and its AWS clients are made once.
 * @throws {StartRefused} when the data folder or the port is in use, or a setting is wrong.
 */
export const startWorld = async (options: WorldOptions): Promise<World> => {
  if (isTaken) throw new Error('This process has had its world.');
  isTaken = true;
  const { routes = allRoutes, subscriptions = allSubscriptions } = options;
  const importDoor = rememberDoors(options.importDoor ?? importFromFunctions);
  const started = new Started();
  const open = Promise.withResolvers<void>();
  // Whoever waits for it hears of a failure; nobody has to wait.
  open.promise.catch(() => undefined);
  try {
    const given = { ...options.env, ...(options.tableName !== undefined && { TABLE_NAME: options.tableName }) };
    started.add(setVariables(given));
    const foreignEngine = process.env.DYNAMODB_ENDPOINT || undefined;

    const folder = await openDataFolder(options.dataDir);
    started.add(() => folder.release());

    // The address first: when it is taken, nothing else needs to be begun. Callers wait until the rest is there.
    let localRoutes: readonly LocalRoute[] = [];
    const gateway = await startGateway({
      port: options.port,
      routes,
      importDoor,
      localRoutes: () => localRoutes,
      ready: open.promise,
    });
    started.add(() => gateway.stop());
    const { port } = gateway;

    const journal = openJournal(folder.file('journal.sqlite'));
    started.add(() => journal.close());
    const triggers = [{ ...mailReturns, kinds: Object.values(mailReturns.kinds) }];
    const bus = openBus({ journal, subscriptions, triggers, importDoor, beforeResuming: releaseRun });
    const mail = openMailService(journal, ({ source, kind, detail }) => {
      bus.putEvents({ Entries: [{ Source: source, DetailType: kind, Detail: JSON.stringify(detail) }] });
    });
    const aws = await serveAws(bus, mail);
    started.add(() => aws.stop());

    const desk = openCheckoutDesk(journal, `http://localhost:${port}`);
    const news = checkoutNews(desk, `http://127.0.0.1:${port}/api/webhooks/stripe`);
    const checkout = await serveCheckout(desk, `http://localhost:${port}`);
    started.add(() => checkout.stop());
    // Whoever has a key of his own means the provider itself, or names another place.
    const checkoutEndpoint = process.env.STRIPE_SECRET_KEY ? {} : { checkoutEndpoint: checkout.url };

    const places = { port, awsEndpoint: aws.url, ...checkoutEndpoint };
    const defaults = { ...defaultSettings(places), ...(!foreignEngine && onlyProcess) };
    const unset = Object.entries(defaults).filter(([name]) => !process.env[name]);
    started.add(setVariables({ ...Object.fromEntries(unset), ...(!foreignEngine && emptyCredentials) }));
    checkSettings();
    log.setLogLevel(process.env.LOG_LEVEL as Parameters<typeof log.setLogLevel>[0]);
    provideStreaming();

    // The handlers are read while the engine starts.
    const warm = prewarm([...new Set(routes.map(doorIdOf)), ...subscriptions.map(({ id }) => id)], importDoor);
    const engine = await engineFor(folder, foreignEngine);
    started.add(() => engine.stop());
    started.add(setVariables(databaseSettings(engine.endpoint)));
    started.add(() => bus.stop());
    const [issuer] = await together(
      makeIssuer(folder.file('issuer-key.json'), issuerOf(port)),
      startTable(started, journal, folder, importDoor, !foreignEngine),
      warm,
    );
    localRoutes = [...pageRoutes({ port, bus, mail }), ...checkoutRoutes(desk, news), ...issuer, ...docsRoutes];
    // Once more, to be the first to end: whatever a running request needs is there until it has ended.
    started.add(() => gateway.stop());
    bus.start();
    started.add(() => news.stop());
    news.start();
    await options.seed?.();
    if (options.schedules) {
      const schedules = startSchedules({ jobs, importDoor, memory: memoryIn(journal) });
      started.add(() => schedules.stop());
    }
    open.resolve();

    return {
      url: `http://localhost:${port}`,
      port,
      dataDir: folder.path,
      bus,
      mail,
      databaseEndpoint: engine.endpoint,
      tableName: settings().table,
      stop: () => started.end(),
    };
  } catch (error) {
    open.reject(error);
    await started.end();
    throw error;
  }
};
