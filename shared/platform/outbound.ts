import { lookup as lookUp } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isRefusal } from '#shared/errors.ts';
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

/** How a question for an address went. */
export interface OutboundProbe {
  /** Null when there was no answer. */
  readonly status: number | null;
  /** Whether the name exists nowhere, as opposed to nobody being able to tell right now. */
  readonly noSuchName: boolean;
}

interface Address {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** All addresses of a name. @throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

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

/**
 * What is wrong with an address before its name is resolved.
 * @param plain whether http is taken: for looking at sites, to which nothing is told.
 */
const faultOf = (url: URL | null, plain = settings().webhookAllowPrivate): string | undefined => {
  if (!url) return 'must be an https address';
  const isPlain = url.protocol === 'http:' && plain;
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

/** Waits for something no longer than a signal allows. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, fail) => {
      signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
    }),
  ]);

/** The addresses behind a host, all of them checked. @throws when one may not be reached, or the time is up. */
const checkedAddresses = async (host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly Address[]> => {
  const family = isIP(host);
  const addresses = family === 0 ? await unlessAborted(resolve(host), signal) : [{ address: host, family }];
  if (addresses.length === 0 || !addresses.every(({ address }) => mayReach(address))) {
    throw new Refused(`The name ${INSIDE}.`);
  }
  return addresses;
};

/** Answers the connection's question for the name with what was checked, so that it goes there and nowhere else. */
const lookupOf =
  (addresses: readonly Address[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) process.nextTick(callback, null, [...addresses]);
    else process.nextTick(callback, null, first.address, first.family);
  };

const wordsOf = (error: Error & { code?: unknown }): string => {
  const code = typeof error.code === 'string' ? error.code : '';
  if (error instanceof Refused) return error.message;
  if (error.name === 'TimeoutError' || code === 'ABORT_ERR') return 'No answer in time.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name could not be resolved.';
  if (code === 'ECONNREFUSED') return 'The connection was refused.';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'The connection broke off.';
  if (/^(?:EPROTO$|ERR_(?:TLS|SSL)|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/.test(code))
    return `No safe connection: ${code}.`;
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

const closedEarly = (): Error => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' });

interface Exchange extends Pick<OutboundRequest, 'headers'> {
  readonly method: 'POST' | 'HEAD' | 'GET';
  readonly body?: string;
}

const exchange = async (
  url: URL,
  { method, headers, body }: Exchange,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Pick<OutboundAnswer, 'status' | 'response'>> => {
  const addresses = await checkedAddresses(hostOf(url), resolve, signal);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const sent = send(url, {
    method,
    // A connection of its own: one from a pool was checked for somebody else.
    agent: false,
    lookup: lookupOf(addresses),
    maxHeaderSize: HEADERS_MAX_BYTES,
    signal,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
  });
  try {
    const answer = await new Promise<IncomingMessage>((settle, fail) => {
      sent.once('response', settle);
      // Once there is an answer, its status counts, whatever becomes of the rest of it.
      sent.on('error', fail);
      sent.once('close', () => fail(closedEarly()));
      sent.end(body);
    });
    return { status: answer.statusCode ?? null, response: await beginningOf(answer) };
  } finally {
    sent.destroy();
  }
};

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
    const answer = await exchange(url, { ...request, method: 'POST' }, resolve, AbortSignal.timeout(timeoutMs));
    return { ...answer, error: null, duration_ms: took() };
  } catch (error) {
    return { status: null, response: null, error: wordsOf(error as Error), duration_ms: took() };
  }
};

const asked = async (
  url: URL,
  method: 'HEAD' | 'GET',
  headers: OutboundRequest['headers'],
  { resolve = systemResolve, timeoutMs = TIMEOUT_MS }: OutboundOptions,
): Promise<OutboundProbe> => {
  try {
    const { status } = await exchange(url, { method, headers }, resolve, AbortSignal.timeout(timeoutMs));
    return { status, noSuchName: false };
  } catch (error) {
    return { status: null, noSuchName: (error as { code?: unknown }).code === 'ENOTFOUND' };
  }
};

/**
 * Asks whether anything is at an address, over http too. Some servers do not know `HEAD`, or answer it otherwise than the
 * same question put with `GET`, so a failure is asked about once more; of an answer only the beginning is read.
 * @returns how it went; it never throws for what the other side does.
 */
export const probeOutbound = async (
  request: Pick<OutboundRequest, 'url' | 'headers'>,
  options: OutboundOptions = {},
): Promise<OutboundProbe> => {
  const url = URL.parse(request.url);
  if (!url || faultOf(url, true) !== undefined) return { status: null, noSuchName: false };
  const head = await asked(url, 'HEAD', request.headers, options);
  if (head.status === null || !isRefusal(head.status)) return head;
  return await asked(url, 'GET', request.headers, options);
};
