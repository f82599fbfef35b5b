import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { Directory } from './fixtures.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { sharedTestServer, startTestServer, type TestServer } from './server.ts';
import { startTableProxy, type TableProxy } from './table-proxy.ts';

/** The server and directory of a test file. */
export interface TestContext {
  readonly server: TestServer;
  readonly directory: Directory;
}

type Prepare<Context = TestContext> = (context: Context) => Promise<void> | void;
type ServerOptions = NonNullable<Parameters<typeof startTestServer>[0]>;

/**
 * Gives the tests of this file a directory of their own, with an administrator and a category, on the server that all files
 * with default settings share. The files must not rely on an empty server.
 * @param prepare stores the context and creates what the tests share.
 */
export const withDirectory = (prepare: Prepare): void => {
  beforeAll(async () => {
    const server = await sharedTestServer();
    await prepare({ server, directory: await Directory.create(server) });
  });
};

/** Like `withDirectory`, on an empty server of this file's own; for files `*.own-server.test.ts`. */
export const withOwnServer = (prepare: Prepare, options: ServerOptions = {}): void => {
  let server: TestServer | undefined;

  beforeAll(async () => {
    server = await startTestServer(options);
    await prepare({ server, directory: await Directory.create(server) });
  });

  afterAll(async () => {
    await server?.stop();
  });
};

/**
 * A directory of this file's own, with an administrator and a category, on the server that all files with default settings share.
 * The files must not rely on an empty server.
 */
export const sharedDirectory = async (): Promise<TestContext> => {
  const server = await sharedTestServer();
  return { server, directory: await Directory.create(server) };
};

/** An empty server of this file's own, which stops after its tests; for files `*.own-server.test.ts`. */
export const ownServer = async (options: ServerOptions = {}): Promise<TestServer> => {
  const server = await startTestServer(options);
  afterAll(() => server.stop());
  return server;
};

/** Like `sharedDirectory`, on a server of this file's own. */
export const ownDirectory = async (options: ServerOptions = {}): Promise<TestContext> => {
  const server = await ownServer(options);
  return { server, directory: await Directory.create(server) };
};

/** A proxy in front of the table that can make requests fail, for a server started after it. It recovers after each test. */
export const ownTableProxy = async (): Promise<TableProxy> => {
  const proxy = await startTableProxy();
  afterAll(() => proxy.stop());
  afterEach(() => proxy.recover());
  return proxy;
};

/** A receiver of webhooks, which forgets its requests and responses before each test. */
export const ownReceiver = async (): Promise<Receiver> => {
  const receiver = await startReceiver();
  afterAll(() => receiver.stop());
  beforeEach(() => receiver.reset());
  return receiver;
};
