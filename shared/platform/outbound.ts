import { lookup as lookUp } from 'node:dns/promises';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './public-addresses.ts';
import { settings } from './settings.ts';

/**
 * Requests to addresses that somebody else has chosen. They must not reach inside: names are resolved here, every address
 * is checked, and the connection goes to the very address that was checked. Redirects are not followed.
 */

/** What is sent. */
export interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How it went. */
export interface OutboundAnswer {
  /** Null when there was no answer. */
  readonly status: number | null;
  /** The first 1024 bytes of the answer as text. */
  readonly response: string | null;
  /** In words; null when there was an answer. */
  readonly error: string | null;
  readonly duration_ms: number;
}

/** All addresses of a name. @throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly { readonly address: string; readonly family: number }[]>;

const TIMEOUT_MS = 10_000;
/** How long a registration waits for a name; one that is not known yet is taken, and checked when something is sent. */
const REGISTRATION_LOOKUP_MS = 2000;
const RESPONSE_KEPT_BYTES = 1024;
const HEADERS_MAX_BYTES = 16 * 1024;

const systemResolve: Resolve = (hostname) => lookUp(hostname, { all: true, verbatim: true });

class Refused extends Error {
  override readonly name = 'Refused';
}

const INSIDE = 'leads to an address that is not on the public internet';

const mayReach = (address: string): boolean =>
  isPublicAddress(address) || (settings().webhookAllowPrivate && isLoopbackAddress(address));

/** The host of an address as a resolver takes it: IPv6 without brackets, names without the dot at the end. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** What is wrong with an address before its name is resolved. */
const faultOf = (url: URL | null): string | undefined => {
  if (!url) return 'must be an https address';
  const isPlain = url.protocol === 'http:' && settings().webhookAllowPrivate;
  if (url.protocol !== 'https:' && !isPlain) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or a password';
  const host = hostOf(url);
  if (host === '') return 'must name a host';
  return isIP(host) !== 0 && !mayReach(host) ? INSIDE : undefined;
};

const within = async <T>(work: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Why nothing may be sent to an address, as far as can be told now; undefined when nothing speaks against it. A name that
 * cannot be resolved at this moment is not held against it.
 */
export const refusalOf = async (address: string, resolve: Resolve = systemResolve): Promise<string | undefined> => {
  const url = URL.parse(address);
  const fault = faultOf(url);
  if (fault !== undefined || !url) return fault;
  const host = hostOf(url);
  if (isIP(host) !== 0) return undefined;
  const known = await within(
    resolve(host).catch(() => []),
    REGISTRATION_LOOKUP_MS,
  );
  return known?.every(({ address: one }) => mayReach(one)) === false ? INSIDE : undefined;
};

/** Resolves a name for a connection, which then goes to nothing but what was checked here. */
const checkedLookup =
  (resolve: Resolve): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        if (!first || !addresses.every(({ address }) => mayReach(address))) {
          callback(new Refused(`The name ${INSIDE}.`), '', 0);
        } else if (options.all) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, '', 0),
    );
  };

const wordsOf = (error: Error & { code?: unknown }): string => {
  const code = typeof error.code === 'string' ? error.code : '';
  if (error instanceof Refused) return error.message;
  if (error.name === 'TimeoutError' || code === 'ABORT_ERR') return 'No answer in time.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name could not be resolved.';
  if (code === 'ECONNREFUSED') return 'The connection was refused.';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'The connection broke off.';
  if (/^(?:EPROTO$|ERR_(?:TLS|SSL)|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/.test(code)) return `No safe connection: ${code}.`;
  if (code.startsWith('HPE_')) return 'The answer was not HTTP.';
  return `The request failed${code === '' ? '' : `: ${code}`}.`;
};

/** Reads the beginning of an answer; the rest is not waited for. */
const beginningOf = (answer: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => resolve(Buffer.concat(chunks).subarray(0, RESPONSE_KEPT_BYTES).toString('utf8'));
    answer.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= RESPONSE_KEPT_BYTES) finish();
    });
    answer.once('end', finish);
    answer.once('error', finish);
    answer.once('close', finish);
  });

const exchange = (url: URL, request: OutboundRequest, resolve: Resolve, signal: AbortSignal) =>
  new Promise<Pick<OutboundAnswer, 'status' | 'response'>>((settle, fail) => {
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const sent: ClientRequest = send(url, {
      method: 'POST',
      // A connection of its own: one from a pool was checked for somebody else.
      agent: false,
      lookup: checkedLookup(resolve),
      maxHeaderSize: HEADERS_MAX_BYTES,
      signal,
      headers: { ...request.headers, 'content-length': String(Buffer.byteLength(request.body)) },
    });
    // Once there is an answer, its status counts, whatever becomes of the rest of it.
    let answered = false;
    const giveUp = (error: Error): void => {
      if (!answered) fail(error);
    };
    sent.on('error', giveUp);
    sent.once('close', () => giveUp(Object.assign(new Error('closed'), { code: 'ECONNRESET' })));
    sent.once('response', (answer) => {
      answered = true;
      beginningOf(answer).then((response) => {
        settle({ status: answer.statusCode ?? null, response });
        sent.destroy();
      }, fail);
    });
    sent.end(request.body);
  });

/** What tests put in the place of the network. */
export interface OutboundOptions {
  /** How names are resolved, when not by the system. */
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

/**
 * Sends a POST and waits at most ten seconds.
 * @returns how it went; it never throws for what the other side does.
 */
export const postOutbound = async (
  request: OutboundRequest,
  { resolve = systemResolve, timeoutMs = TIMEOUT_MS }: OutboundOptions = {},
): Promise<OutboundAnswer> => {
  const startedAt = performance.now();
  const took = () => Math.round(performance.now() - startedAt);
  const url = URL.parse(request.url);
  const fault = faultOf(url);
  if (fault !== undefined || !url) {
    return { status: null, response: null, error: `The address ${fault}.`, duration_ms: took() };
  }
  try {
    const answer = await exchange(url, request, resolve, AbortSignal.timeout(timeoutMs));
    return { ...answer, error: null, duration_ms: took() };
  } catch (error) {
    return { status: null, response: null, error: wordsOf(error as Error), duration_ms: took() };
  }
};
