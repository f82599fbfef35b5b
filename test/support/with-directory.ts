import { afterAll, afterEach, beforeAll } from 'vitest';
import { Directory } from './fixtures.ts';
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

/** Like `withDirectory`, on an empty server of this file's own; for files in a folder `own-server`. */
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

/** Like `withOwnServer`, with a proxy in front of the table that can make requests fail. It recovers after each test. */
export const withTableProxy = (
  prepare: Prepare<TestContext & { readonly proxy: TableProxy }>,
  options: Omit<ServerOptions, 'env'> = {},
): void => {
  let proxy: TableProxy | undefined;
  let server: TestServer | undefined;

  beforeAll(async () => {
    proxy = await startTableProxy();
    server = await startTestServer({ ...options, env: proxy.env });
    await prepare({ proxy, server, directory: await Directory.create(server) });
  });

  afterEach(() => {
    proxy?.recover();
  });

  afterAll(async () => {
    await server?.stop();
    await proxy?.stop();
  });
};
