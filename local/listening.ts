import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartRefused } from './refusal.ts';

/** How long running requests may take to end when the server is closed. */
const CLOSE_MS = 5000;

const listen = async (server: Server, port: number, host: string): Promise<number> => {
  server.listen({ port, host, ipv6Only: true });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
};

const isCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code));

const another = (port: number): string => `Set PORT to another one, such as PORT=${port < 65_535 ? port + 1 : 3000}.`;

/**
 * Listens on the loopback.
 * @param port 0 takes any free one.
 * @returns the port.
 * @throws {StartRefused} when it is in use.
 */
export const listenOnLoopback = async (server: Server, port: number): Promise<number> => {
  try {
    return await listen(server, port, '127.0.0.1');
  } catch (error) {
    if (isCode(error, 'EADDRINUSE')) throw new StartRefused(`Port ${port} is in use. ${another(port)}`);
    if (!isCode(error, 'EACCES')) throw error;
    throw new StartRefused(`Port ${port} may not be used by this user. Set PORT to one above 1023, such as PORT=3000.`);
  }
};

/**
 * Listens under the loopback's second address too, where there is one: `localhost` may mean either.
 * @param isRequired whether it matters that the port is somebody else's there.
 */
export const listenOnSecondLoopback = async (server: Server, port: number, isRequired: boolean): Promise<void> => {
  try {
    await listen(server, port, '::1');
  } catch (error) {
    if (isCode(error, 'EADDRNOTAVAIL', 'EAFNOSUPPORT')) return;
    if (!isCode(error, 'EADDRINUSE')) throw error;
    if (isRequired) throw new StartRefused(`Port ${port} is in use on ::1, where localhost may lead. ${another(port)}`);
  }
};

/** Takes no new connections; requests that run have a few seconds to end. */
export const closeServer = async (server: Server): Promise<void> => {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  // A connection becomes idle when its request has been answered; the caller would keep it open for the next.
  const tidy = setInterval(() => server.closeIdleConnections(), 25);
  const last = setTimeout(() => server.closeAllConnections(), CLOSE_MS);
  await closed;
  clearInterval(tidy);
  clearTimeout(last);
};

/** A part of this world with a port of its own: the end of a client that the service has, not of its users. */
export interface ServedAlone {
  readonly url: string;
  /** Cuts off what is on its way. */
  stop(): Promise<void>;
}

/** Serves a part on a free port of the loopback. */
export const serveAlone = async (
  handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
): Promise<ServedAlone> => {
  const server = createServer((request, response) => void handle(request, response));
  const port = await listenOnLoopback(server, 0);
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
