import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** A response of the target server. */
export interface ProxiedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Returns the changes to a response; undefined means that the client receives no response. */
export type Tamper = (response: ProxiedResponse) => Partial<ProxiedResponse> | undefined;

/** A proxy in front of a server that changes selected responses. */
export interface TamperingProxy {
  readonly url: string;
  /** Changes the responses to the requests that match, written as `GET /path?query`. */
  tamper(tamper: Tamper, requests: RegExp): void;
  stop(): Promise<void>;
}

/** Starts a proxy on a free loopback port. */
export const startTamperingProxy = async (target: string): Promise<TamperingProxy> => {
  const { hostname, port } = new URL(target);
  let rule: { readonly tamper: Tamper; readonly requests: RegExp } | undefined;
  const sendChanged = async (received: IncomingMessage, response: ServerResponse, tamper: Tamper): Promise<void> => {
    const body = Buffer.concat(await received.toArray()).toString('utf8');
    const original = { status: received.statusCode ?? 0, headers: received.headers, body };
    const changes = tamper(original);
    if (!changes) return;
    const changed = { ...original, ...changes };
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = changed.headers;
    response.writeHead(changed.status, headers).end(changed.body);
  };
  const server = createServer((request, response) => {
    const { method, url: path } = request;
    const tamper = rule?.requests.test(`${method} ${path}`) ? rule.tamper : undefined;
    // A compressed body could not be changed.
    const headers = { ...request.headers, ...(tamper && { 'accept-encoding': 'identity' }) };
    const forwarded = httpRequest({ hostname, port, method, path, headers }, (received) => {
      if (tamper) {
        sendChanged(received, response, tamper).catch(() => response.destroy());
        return;
      }
      response.writeHead(received.statusCode ?? 0, received.headers);
      received.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    request.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    tamper: (tamper, requests) => {
      rule = { tamper, requests };
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
