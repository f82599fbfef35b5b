import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { StartupError } from './startup-error.ts';

/** How long running requests may take to end when the server is closed. */
const CLOSE_MS = 5000;

const listen = async (server: Server, port: number, host: string): Promise<number> => {
  server.listen({ port, host, ipv6Only: true });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

const suggestPort = (port: number): string =>
  `Set PORT to another port, for example PORT=${port < 65_535 ? port + 1 : 3000}.`;

/**
 * Listens on 127.0.0.1.
 * @param port 0 takes any free port.
 * @returns the port.
 * @throws {StartupError} when the port is in use or needs privileges.
 */
export const listenOnIpv4Loopback = async (server: Server, port: number): Promise<number> => {
  try {
    return await listen(server, port, '127.0.0.1');
  } catch (error) {
    if (hasCode(error, 'EADDRINUSE')) throw new StartupError(`Port ${port} is in use. ${suggestPort(port)}`);
    if (!hasCode(error, 'EACCES')) throw error;
    throw new StartupError(`Port ${port} requires privileges. Set PORT to a port above 1023, for example PORT=3000.`);
  }
};

/**
 * Also listens on ::1 where IPv6 is available, because `localhost` can resolve to either address.
 * @param isRequired false ignores that the port is in use there.
 */
export const listenOnIpv6Loopback = async (server: Server, port: number, isRequired: boolean): Promise<void> => {
  try {
    await listen(server, port, '::1');
  } catch (error) {
    if (hasCode(error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return;
    if (!hasCode(error, 'EADDRINUSE')) throw error;
    if (isRequired) {
      throw new StartupError(`Port ${port} is in use on ::1, which localhost can resolve to. ${suggestPort(port)}`);
    }
  }
};

/** Accepts no new connections; running requests have a few seconds to end. */
export const closeServer = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // A keep-alive connection becomes idle only after its response; `close` reaps those that are idle already.
  const reaper = setInterval(() => server.closeIdleConnections(), 25);
  const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearInterval(reaper);
  clearTimeout(deadline);
};

/**
 * Whether a `Host` header names this machine. Every request requires it: a web page whose own host name resolves to the
 * loopback (DNS rebinding) could otherwise read tokens, and use them.
 */
export const isLoopbackName = (host: string | undefined): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host ?? '');

/** A mock of a remote service, on a port of its own. */
export interface MockEndpoint {
  readonly url: string;
  /** Aborts running requests. */
  stop(): Promise<void>;
}

/** Serves an app on a free port of 127.0.0.1, under names of this machine only. Create it with `forceCloseConnections`. */
export const serveMock = async (app: FastifyInstance): Promise<MockEndpoint> => {
  app.addHook('onRequest', async (request, reply) => {
    if (!isLoopbackName(request.headers.host)) return await reply.code(403).send();
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, stop: () => app.close() };
};
