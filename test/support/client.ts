import { Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';
import { gunzipSync } from 'node:zlib';
import type { Feature } from '#contract/route.ts';
import type { ReceivedMail } from '#local/mail.ts';
import { assertMatchesDocument, type SeenResponse } from './conformance.ts';
import { until } from './until.ts';
import { skipForFeature, usesFeature } from './without-feature.ts';

/** Options of a request. */
export interface CallOptions {
  /** Sent as a bearer token. */
  readonly token?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged, with the content type JSON unless the headers set another. */
  readonly rawBody?: string | Uint8Array;
  /** A list is sent in a line per value. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** The rate limiter is disabled for this request, so the response has no quota headers. */
  readonly uncounted?: boolean;
}

/** A response. The body is parsed if it is JSON, a string otherwise, undefined if empty. */
export interface CallResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** The request body of the local token endpoint. */
export interface TokenRequest {
  readonly email?: string;
  readonly client_id?: string;
  readonly name?: string;
  readonly admin?: boolean;
  /** True by default. */
  readonly email_verified?: boolean;
  readonly expires_in?: number;
}

/** An event as listed by `/_local/events`. */
export interface ListedEvent {
  readonly id: string;
  readonly kind: string;
  readonly occurred_at: string;
  readonly actor_id: string | null;
  readonly data: unknown;
}

export interface ClientOptions {
  /** Checks every response; by default against the OpenAPI document. @throws for an invalid response. */
  readonly check?: (response: SeenResponse) => void;
  /** Aborts a request that takes longer. */
  readonly timeoutMs?: number;
  /** A feature that this run switches off: tests that use it are skipped. */
  readonly without?: Feature | undefined;
}

/** A client of a local server or a deployed stage. */
export interface Client {
  readonly url: string;
  /** Sends a request; the path is not normalized. @throws when the check of the response fails. */
  call(method: string, path: string, options?: CallOptions): Promise<CallResponse>;
  token(request: TokenRequest): Promise<string>;
  /** The published events, newest first. */
  events(): Promise<ListedEvent[]>;
  /** The inbox, newest first. */
  mails(): Promise<ReceivedMail[]>;
  /** Polls a condition until it holds. @throws {Error} with the last error as cause after `limitMs`, by default a minute. */
  until(condition: () => Promise<unknown>, limitMs?: number): Promise<void>;
  /** Closes all connections. */
  close(): void;
}

/**
 * The headers for a request. Node joins several cookies into one line, as HTTP/1.1 asks for; a browser sends a line of each
 * over HTTP/2. A list of names and values is sent as it is, and needs the host.
 */
const linesOf = (headers: Readonly<Record<string, string | readonly string[]>>, host: string) =>
  Object.values(headers).some((value) => typeof value !== 'string')
    ? Object.entries({ host, ...headers }).flatMap(([name, lines]) => [lines].flat().flatMap((line) => [name, line]))
    : (headers as Readonly<Record<string, string>>);

const read = async (response: IncomingMessage): Promise<unknown> => {
  const sent = Buffer.concat(await response.toArray());
  const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent).toString('utf8');
  if (text === '') return undefined;
  return /\bjson\b/.test(response.headers['content-type'] ?? '') ? (JSON.parse(text) as unknown) : text;
};

/** Creates a client for a base URL; a path in it is a prefix of all paths. */
export const clientOf = (
  url: string,
  { check = assertMatchesDocument, timeoutMs, without }: ClientOptions = {},
): Client => {
  const { protocol, hostname, port, pathname } = new URL(url);
  const isSecure = protocol === 'https:';
  const agent = isSecure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const start = isSecure ? secureRequest : plainRequest;
  const prefix = pathname.replace(/\/+$/, '');

  const call = async (method: string, target: string, options: CallOptions = {}): Promise<CallResponse> => {
    if (without && usesFeature(without, method, target, options.body)) skipForFeature(without);
    const body = options.rawBody ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    const headers = {
      ...(body !== undefined && {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
      }),
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
      ...options.headers,
    };
    const response = await new Promise<CallResponse>((resolve, reject) => {
      const path = `${prefix}${target}`;
      const signal = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const sent = start(
        { agent, hostname, port, method, path, headers: linesOf(headers, `${hostname}:${port}`), signal },
        (incoming) => {
          const head = new Headers();
          for (let position = 0; position + 1 < incoming.rawHeaders.length; position += 2) {
            head.append(String(incoming.rawHeaders[position]), String(incoming.rawHeaders[position + 1]));
          }
          read(incoming).then(
            (content) => resolve({ status: incoming.statusCode ?? 0, headers: head, body: content }),
            reject,
          );
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
    check({ method, address: target, ...response, uncounted: options.uncounted === true });
    return response;
  };

  const list = async <T>(target: string): Promise<T[]> => {
    const { status, body } = await call('GET', target, { headers: { accept: 'application/json' } });
    if (status !== 200) throw new Error(`GET ${target} returned ${status}: ${JSON.stringify(body)}`);
    return (body as { data: T[] }).data;
  };

  return {
    url,
    call,
    token: async (request) => {
      const { status, body } = await call('POST', '/_local/token', { body: request });
      if (status !== 200) throw new Error(`The token request returned ${status}: ${JSON.stringify(body)}`);
      return (body as { access_token: string }).access_token;
    },
    events: () => list<ListedEvent>('/_local/events'),
    mails: () => (without === 'email' ? skipForFeature(without) : list<ReceivedMail>('/_local/mail')),
    until,
    close: () => agent.destroy(),
  };
};
