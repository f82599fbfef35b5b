import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A request to the service behind a proxy. */
interface ProxiedRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A response in place of the one of the service. */
export interface ErrorResponse {
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** A response of the service. */
interface ProxiedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Returns the changes to a response. */
export type Tamper = (response: ProxiedResponse) => Partial<ProxiedResponse>;

/**
 * What happens to a request. `hang`: it is neither forwarded nor answered. `lose`: it is forwarded, and its response never
 * arrives. A delay: it is forwarded later. `tamper`: it is forwarded, and its response is changed. An error: it is not
 * forwarded. Undefined: it is forwarded.
 */
export type Fault =
  | 'hang'
  | 'lose'
  | { readonly delayMs: number }
  | { readonly tamper: Tamper }
  | ErrorResponse
  | undefined;

/** A proxy in front of an HTTP service that makes selected requests fail. */
export interface FaultProxy {
  readonly url: string;
  /** Sets the address of the service; it may be unknown when the proxy is started. */
  forwardTo(target: string): void;
  /** Decides about every request from now on. A promise delays the decision. */
  fail(decide: (request: ProxiedRequest) => Fault | Promise<Fault>): void;
  /** Forwards every request from now on, and ends those that hang. */
  recover(): void;
  stop(): Promise<void>;
}

const forward = (): Fault => undefined;

/** Starts a proxy on a free loopback port. */
export const startFaultProxy = async (target?: string): Promise<FaultProxy> => {
  let service = target;
  let decide: (request: ProxiedRequest) => Fault | Promise<Fault> = forward;
  const hanging = new Set<ServerResponse>();

  const sendChanged = async (received: IncomingMessage, response: ServerResponse, tamper: Tamper): Promise<void> => {
    const body = Buffer.concat(await received.toArray()).toString('utf8');
    const original = { status: received.statusCode ?? 0, headers: received.headers, body };
    const changed = { ...original, ...tamper(original) };
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = changed.headers;
    response.writeHead(changed.status, headers).end(changed.body);
  };

  const send = ({ method, path, headers, body }: ProxiedRequest, response: ServerResponse, fault: Fault): void => {
    if (service === undefined) throw new Error('The proxy has no target.');
    const { hostname, port } = new URL(service);
    const tamper = typeof fault === 'object' && 'tamper' in fault ? fault.tamper : undefined;
    // A compressed body could not be changed.
    const sent = { ...headers, ...(tamper && { 'accept-encoding': 'identity' }) };
    const forwarded = httpRequest({ hostname, port, method, path, headers: sent }, (received) => {
      if (fault === 'lose') {
        received.resume();
        return;
      }
      if (tamper) {
        sendChanged(received, response, tamper).catch(() => response.destroy());
        return;
      }
      response.writeHead(received.statusCode ?? 0, received.headers);
      received.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    forwarded.end(body);
  };

  const respond = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      const { method = 'GET', url = '/', headers } = incoming;
      const body = Buffer.concat(await incoming.toArray()).toString('utf8');
      const request = { method, path: url, headers, body };
      const fault = await decide(request);
      if (fault === 'hang' || fault === 'lose') hanging.add(response);
      if (fault === 'hang') return;
      if (typeof fault === 'object' && 'status' in fault) {
        response.writeHead(fault.status, { 'content-type': fault.type }).end(fault.body);
        return;
      }
      if (typeof fault === 'object' && 'delayMs' in fault) await wait(fault.delayMs);
      // Forwarded also when the client has given up: the service receives a late request all the same.
      send(request, response, fault);
    } catch {
      response.destroy();
    }
  };
  const server = createServer((incoming, response) => void respond(incoming, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forwardTo: (address) => {
      service = address;
    },
    fail: (next) => {
      decide = next;
    },
    recover: () => {
      decide = forward;
      for (const response of hanging) response.destroy();
      hanging.clear();
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
