import { afterAll, beforeAll } from 'vitest';
import { Directory } from './fixtures.ts';
import { sharedTestServer, startTestServer, type TestServer } from './server.ts';

/** The server and directory of a test file. */
export interface TestContext {
  readonly server: TestServer;
  readonly directory: Directory;
}

type Prepare = (context: TestContext) => Promise<void> | void;

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
export const withOwnServer = (prepare: Prepare, options: Parameters<typeof startTestServer>[0] = {}): void => {
  let server: TestServer | undefined;

  beforeAll(async () => {
    server = await startTestServer(options);
    await prepare({ server, directory: await Directory.create(server) });
  });

  afterAll(async () => {
    await server?.stop();
  });
};
