import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a receiver. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Writes the response to a request. */
type Responder = (response: ServerResponse, received: Received) => void;

/** A local HTTP server that stands in for the receiver of webhooks. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** All requests, oldest first. */
  readonly received: readonly Received[];
  /** How many connections were opened. */
  connections(): number;
  /** Sets the responses to the next requests; later ones get the default. */
  respondNext(...responders: readonly Responder[]): void;
  /** Sets the default response; initially 200. */
  respondAlways(responder: Responder): void;
  /** Clears the requests and all responses. */
  reset(): void;
  stop(): Promise<void>;
}

/** A response with a status and a text. */
export const respond =
  (status: number, text = '', headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, headers).end(text);
  };

/** Starts a receiver on a free loopback port. */
export const startReceiver = async (): Promise<Receiver> => {
  let received: Received[] = [];
  let queue: Responder[] = [];
  let fallback = respond(200, 'thanks');
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { path: request.url ?? '', headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(one);
      (queue.shift() ?? fallback)(response, one);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    get received() {
      return received;
    },
    connections: () => connections,
    respondNext: (...responders) => {
      queue = [...responders];
    },
    respondAlways: (responder) => {
      fallback = responder;
    },
    reset: () => {
      received = [];
      queue = [];
      fallback = respond(200, 'thanks');
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

/** Verifies a message by the Standard Webhooks specification, independently of the service's code. */
export const countValidSignatures = async ({ headers, body }: Received, secret: string): Promise<number> => {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const content = new TextEncoder().encode(signed);
  const results = await Promise.all(
    String(headers['webhook-signature'])
      .split(' ')
      .map(async (one) => {
        const [version, signature = ''] = one.split(',');
        const given = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));
        return version === 'v1' && (await crypto.subtle.verify('HMAC', key, given, content));
      }),
  );
  return results.filter(Boolean).length;
};
