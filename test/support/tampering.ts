import { once } from 'node:events';
import {
  createServer,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';

/** An answer on its way back. */
export interface PassingAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What is done to an answer; nothing is answered at all where it gives nothing. */
export type Tamper = (answer: PassingAnswer) => Partial<PassingAnswer> | undefined;

/** A server between a caller and a world that does not leave every answer as it was. */
export interface Tampering {
  readonly url: string;
  /** Tampers with the answers to these requests, `GET /path?query`, and lets all others pass. */
  with(tamper: Tamper, requests: RegExp): void;
  stop(): Promise<void>;
}

/** Starts such a server on the loopback, in front of a world. */
export const tamperWith = async (target: string): Promise<Tampering> => {
  const { hostname, port } = new URL(target);
  let tampering: { readonly tamper: Tamper; readonly requests: RegExp } | undefined;
  const tampered = async (answer: IncomingMessage, response: ServerResponse, tamper: Tamper): Promise<void> => {
    const body = Buffer.concat(await answer.toArray()).toString('utf8');
    const original = { status: answer.statusCode ?? 0, headers: answer.headers, body };
    const changes = tamper(original);
    if (!changes) return;
    const changed = { ...original, ...changes };
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = changed.headers;
    response.writeHead(changed.status, headers).end(changed.body);
  };
  const server = createServer((request, response) => {
    const { method, url: path } = request;
    const tamper = tampering?.requests.test(`${method} ${path}`) ? tampering.tamper : undefined;
    // What is tampered with must be readable.
    const headers = { ...request.headers, ...(tamper && { 'accept-encoding': 'identity' }) };
    const passed = httpRequest({ hostname, port, method, path, headers }, (answer) => {
      if (tamper) {
        tampered(answer, response, tamper).catch(() => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    passed.on('error', () => response.destroy());
    request.pipe(passed);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    with: (tamper, requests) => {
      tampering = { tamper, requests };
    },
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
};
