import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf, StartupError } from './startup-error.ts';

/** How long running requests may take to end when the server is closed. */
const CLOSE_MS = 5000;

/**
 * Whether a `Host` header names this machine. Every request requires it unless others than the user of this machine are served:
 * a web page whose own host name resolves to the loopback (DNS rebinding) could otherwise read tokens, and use them.
 */
export const isLoopbackName = (host: string | undefined): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host ?? '');

const IPV4 = '127.0.0.1';
const IPV6 = '::1';

/** Whether a value of `HOST` lets other machines connect; without one only this machine can. */
export const isPublicHost = (host: string | undefined): host is string =>
  isIP(host ?? '') !== 0 && host !== IPV6 && !isLoopbackName(host);

/** The addresses that a value of `HOST` stands for. The parts of the service connect to the loopback addresses. */
const addressesOf = (host: string | undefined): string[] => {
  if (host === '::') return ['0.0.0.0', '::'];
  if (host === '0.0.0.0') return [host, IPV6];
  const others = host === undefined || ['', 'localhost', IPV4, IPV6].includes(host) ? [] : [host];
  return [IPV4, IPV6, ...others];
};

const suggestPort = (port: number): string =>
  `Set PORT to another port, for example PORT=${port < 65_535 ? port + 1 : 3000}.`;

const sentenceOf = (code: unknown, address: string, port: number): string | undefined => {
  const where = address === IPV6 ? ` on ${IPV6}, which localhost can resolve to` : '';
  if (code === 'EADDRINUSE') return `Port ${port} is in use${where}. ${suggestPort(port)}`;
  if (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || code === 'EINVAL')
    return `HOST is ${address}, which is no address of this machine.`;
  return code === 'EACCES'
    ? `Port ${port} requires privileges. Set PORT to a port above 1023, for example PORT=3000.`
    : undefined;
};

/** @throws {StartupError} when the address is not one of this machine, and when the port is in use or needs privileges. */
const listen = async (server: Server, host: string, port: number): Promise<number> => {
  try {
    server.listen({ port, host, ipv6Only: true });
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  } catch (cause) {
    const sentence = sentenceOf(codeOf(cause), host, port);
    throw sentence === undefined ? cause : new StartupError(sentence, { cause });
  }
};

/** Whether a start does without an address: the IPv6 loopback of a machine without IPv6, or one whose port is in use. */
const isDispensable = (address: string, error: unknown, isAnyPort: boolean): boolean => {
  const code = codeOf(error instanceof StartupError ? error.cause : error);
  return (
    address === IPV6 && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT' || (isAnyPort && code === 'EADDRINUSE'))
  );
};

/** Accepts no new connections; running requests have a few seconds to end. */
const closeServer = async (server: Server): Promise<void> => {
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

/** What listens on the addresses of `HOST`. */
interface Listeners {
  readonly port: number;
  /** Accepts no new connections; running requests have a few seconds to end. */
  close(): Promise<void>;
}

/**
 * Listens on the addresses that a value of `HOST` stands for: 127.0.0.1 and, where IPv6 is available, ::1 by default, because
 * `localhost` can resolve to either.
 * @param port 0 takes any free port.
 * @throws {StartupError} when an address is not one of this machine, and when the port is in use or needs privileges.
 */
export const listenOn = async (
  makeServer: () => Server,
  host: string | undefined,
  port: number,
): Promise<Listeners> => {
  const servers: Server[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closeServer));
  };
  let listening = port;
  try {
    for (const address of addressesOf(host)) {
      const server = makeServer();
      try {
        listening = await listen(server, address, listening);
        servers.push(server);
      } catch (error) {
        if (!isDispensable(address, error, port === 0)) throw error;
      }
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { port: listening, close };
};

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
