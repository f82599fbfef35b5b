import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a receiver of webhooks got it. */
export interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a receiver answers with. */
export type Answer = (response: ServerResponse, received: Received) => void;

/** A server of somebody else that webhooks are sent to. */
export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** Everything that came, oldest first. */
  readonly received: readonly Received[];
  /** How many connections were ever made to it. */
  connections(): number;
  /** The answers to the next requests; after them it answers 200 again. */
  next(...answers: readonly Answer[]): void;
  /** The answer to every request, until another is given. */
  always(answer: Answer): void;
  forget(): void;
  stop(): Promise<void>;
}

/** Answers with a status and a text. */
export const answer =
  (status: number, text = '', headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(status, headers).end(text);
  };

/** Starts a receiver on this machine that takes everything. */
export const startReceiver = async (): Promise<Receiver> => {
  let received: Received[] = [];
  let queue: Answer[] = [];
  let usual = answer(200, 'thanks');
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const one = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(one);
      (queue.shift() ?? usual)(response, one);
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
    next: (...answers) => {
      queue = [...answers];
    },
    always: (one) => {
      usual = one;
    },
    forget: () => {
      received = [];
      queue = [];
      usual = answer(200, 'thanks');
    },
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
};

/**
 * Checks a message as Standard Webhooks describes, with the means of the Web platform and none of the service's code.
 * @returns how many of its signatures hold.
 */
export const signaturesThatHold = async ({ headers, body }: Received, secret: string): Promise<number> => {
  const bytes = Uint8Array.from(atob(secret.replace(/^whsec_/, '')), (character) => character.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const signed = [headers['webhook-id'], headers['webhook-timestamp'], body].join('.');
  const content = new TextEncoder().encode(signed);
  const held = await Promise.all(
    String(headers['webhook-signature'])
      .split(' ')
      .map(async (one) => {
        const [version, signature = ''] = one.split(',');
        const given = Uint8Array.from(atob(signature), (character) => character.charCodeAt(0));
        return version === 'v1' && (await crypto.subtle.verify('HMAC', key, given, content));
      }),
  );
  return held.filter(Boolean).length;
};
