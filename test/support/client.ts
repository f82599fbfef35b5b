import { Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import type { ReceivedMail } from '#local/mail.ts';
import { holdToDocument, type SeenAnswer } from './conformance.ts';

/** What a call sends beside method and path. */
export interface CallOptions {
  /** Sent as a bearer token. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, as JSON unless the headers say otherwise. */
  readonly rawBody?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  /** The test keeps the limiter from counting this call. */
  readonly uncounted?: boolean;
}

/** An answer with its body parsed if it is JSON, as text if not, and undefined if there is none. */
export interface CallAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** What a token is asked for with. */
export interface TokenRequest {
  readonly email?: string;
  readonly client_id?: string;
  readonly name?: string;
  readonly admin?: boolean;
  readonly expires_in?: number;
}

/** A message as `/_local/events` lists it. */
export interface ListedEvent {
  readonly id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly actor_id: string | null;
  readonly data: unknown;
}

/** How a client of a world calls it. */
export interface ClientOptions {
  /** Looks at every answer; holds it to the document unless another is given. @throws when it is not as it should be. */
  readonly hold?: (seen: SeenAnswer) => void;
  /** Gives up a call that takes longer. */
  readonly timeoutMs?: number;
}

/** The ways into a world, wherever it runs. */
export interface Client {
  readonly url: string;
  /** The path is sent as it is written, without any tidying. @throws when the answer is not what the document says. */
  call(method: string, path: string, options?: CallOptions): Promise<CallAnswer>;
  token(request: TokenRequest): Promise<string>;
  /** What went over the bus, newest first. */
  events(): Promise<ListedEvent[]>;
  /** The inbox, newest first. */
  mails(): Promise<ReceivedMail[]>;
  /** Waits until something is so. @throws with the last error when the time is up. */
  until(isSo: () => Promise<unknown>, timeoutMs?: number): Promise<void>;
  /** Gives up the connections. */
  close(): void;
}

const UNTIL_MS = 5000;
const EVERY_MS = 20;

const read = async (answer: IncomingMessage): Promise<unknown> => {
  const sent = Buffer.concat(await answer.toArray());
  const text = (answer.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
  if (text === '') return undefined;
  return /\bjson\b/.test(answer.headers['content-type'] ?? '') ? (JSON.parse(text) as unknown) : text;
};

/** Calls a world by its address, below whose path, if it has one, everything stands. */
export const clientOf = (url: string, { hold = holdToDocument, timeoutMs }: ClientOptions = {}): Client => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const start = isSecure ? secureRequest : plainRequest;
  const below = pathname.replace(/\/+$/, '');

  const call = async (method: string, target: string, options: CallOptions = {}): Promise<CallAnswer> => {
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const headers = {
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    const seen = await new Promise<CallAnswer>((resolve, reject) => {
      const path = `${below}${target}`;
      const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const sent = start({ agent, hostname, port, method, path, headers, signal }, (answer) => {
        const head = new Headers();
        for (let position = 0; position + 1 < answer.rawHeaders.length; position += 2) {
          head.append(String(answer.rawHeaders[position]), String(answer.rawHeaders[position + 1]));
        }
        read(answer).then(
          (content) => resolve({ status: answer.statusCode ?? 0, headers: head, body: content }),
          reject,
        );
      });
      sent.once('error', reject);
      sent.end(body);
    });
    hold({ method, address: target, ...seen, uncounted: options.uncounted === true });
    return seen;
  };

  const list = async <T>(target: string): Promise<T[]> => {
    const { status, body } = await call('GET', target, { headers: { accept: 'application/json' } });
    if (status !== 200) throw new Error(`GET ${target} answered ${status}: ${JSON.stringify(body)}`);
    return (body as { data: T[] }).data;
  };

  return {
    url,
    call,
    token: async (request) => {
      const { status, body } = await call('POST', '/_local/token', { body: request });
      if (status !== 200) throw new Error(`No token: ${status} ${JSON.stringify(body)}`);
      return (body as { access_token: string }).access_token;
    },
    events: () => list<ListedEvent>('/_local/events'),
    mails: () => list<ReceivedMail>('/_local/mail'),
    until: async (isSo, patienceMs = UNTIL_MS) => {
      const deadline = performance.now() + patienceMs;
      for (;;) {
        let failure: unknown;
        try {
          if (await isSo()) return;
        } catch (error) {
          failure = error;
        }
        if (performance.now() > deadline)
          throw new Error(`It did not come to be so within ${patienceMs} ms.`, { cause: failure });
        await wait(EVERY_MS);
      }
    },
    close: () => agent.destroy(),
  };
};
