import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isRefusal } from '#shared/errors.ts';
import { isLoopbackAddress, isPublicAddress } from './public-address.ts';
import { settings } from './settings.ts';

// Requests to user-supplied URLs, restricted to public addresses. Host names are resolved here, every address is checked
// and the connection uses the checked addresses, which prevents DNS rebinding. Redirects are not followed.

/** A POST request. */
interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The result of a request. */
interface OutboundResponse {
  /** Null when there was no response. */
  readonly status: number | null;
  /** The first 17 KB of the response body. */
  readonly response: string | null;
  /** Why there was no response, as a sentence. */
  readonly error: string | null;
  readonly duration_ms: number;
}

/** The result of a probe. */
interface OutboundProbe {
  /** Null when there was no response. */
  readonly status: number | null;
  /** Whether the host name does not exist, as opposed to a failed lookup. */
  readonly noSuchName: boolean;
  /** The outcome of the lookup of the host name; null without a name or an answer. */
  readonly lookup: 'resolved' | 'failed' | null;
  /** The absolute URL that a redirect leads to. */
  readonly redirectUrl?: string;
}

interface Address {
  readonly address: string;
  /** 4 or 6. */
  readonly family: number;
}

/** Resolves a host name to all its addresses. @throws when it has none. */
export type Resolve = (hostname: string) => Promise<readonly Address[]>;

const TIMEOUT_MS = 10_000;
/** How long `urlError` waits for DNS. */
const VALIDATION_LOOKUP_MS = 2000;
const RESPONSE_KEPT_BYTES = 17 * 1024;
const HEADERS_MAX_BYTES = 16 * 1024;
/** The status of a redirect is at least the first and below the second. */
const REDIRECTS_FROM = 300;
const REDIRECTS_TO = 400;

const systemResolve: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/** The host resolves to an internal address. */
class InternalAddress extends Error {
  override readonly name = 'InternalAddress';
}

const INTERNAL = 'leads to an address that is not on the public internet';

const isAllowed = (address: string): boolean =>
  isPublicAddress(address) || (settings().webhookAllowPrivate && isLoopbackAddress(address));

/** The host as a resolver expects it: IPv6 without brackets, names without a trailing dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** Why a URL is not allowed, as far as can be decided without DNS. */
const syntaxError = (url: URL | null, allowHttp = settings().webhookAllowPrivate): string | undefined => {
  if (!url) return 'must be an https address';
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must be an https address';
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password';
  const host = hostOf(url);
  if (host === '') return 'must contain a host';
  return isIP(host) !== 0 && !isAllowed(host) ? INTERNAL : undefined;
};

/** Top-level names that are not on the public internet: special-use names (RFC 6761, 6762, 7686, 8375) and `internal`. */
const INTERNAL_NAMES = /(?:^|\.)(?:localhost|local|internal|home\.arpa|onion)$/;

/**
 * Why the host of a receiver of events is not allowed, by its name alone: what a resolver says about an internal name
 * depends on the network. Parsed URLs have names in lower case.
 */
const nameError = (host: string): string | undefined => {
  if (isIP(host) !== 0) return undefined;
  const name = host.replace(/\.$/, '');
  if (settings().webhookAllowPrivate && /(?:^|\.)localhost$/.test(name)) return undefined;
  return !name.includes('.') || INTERNAL_NAMES.test(name) ? INTERNAL : undefined;
};

/** Why the URL of a receiver of events is not allowed, as far as can be decided without DNS. */
const receiverError = (url: URL | null): string | undefined =>
  syntaxError(url) ?? (url ? nameError(hostOf(url)) : undefined);

const withTimeout = async <T>(work: Promise<T>, ms: number): Promise<T | undefined> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, ms, undefined);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Why a URL is not allowed; undefined when it is. A name that cannot be resolved now is allowed, because every request
 * checks the addresses again.
 */
export const urlError = async (value: string, resolve: Resolve = systemResolve): Promise<string | undefined> => {
  const url = URL.parse(value);
  const error = receiverError(url);
  if (error !== undefined || !url) return error;
  const host = hostOf(url);
  if (isIP(host) !== 0) return undefined;
  const addresses = await withTimeout(
    resolve(host).catch(() => []),
    VALIDATION_LOOKUP_MS,
  );
  return addresses?.every(({ address }) => isAllowed(address)) === false ? INTERNAL : undefined;
};

const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal): Promise<T> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    }),
  ]);

/** Resolves a host. @throws {InternalAddress} when any address is internal; the signal's reason when aborted. */
const checkedAddresses = async (host: string, resolve: Resolve, signal: AbortSignal): Promise<readonly Address[]> => {
  const family = isIP(host);
  const addresses = family === 0 ? await unlessAborted(resolve(host), signal) : [{ address: host, family }];
  if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) {
    throw new InternalAddress(`The name ${INTERNAL}.`);
  }
  return addresses;
};

/** A lookup function that returns the checked addresses, so that the connection does not resolve the name again. */
const lookupOf =
  (addresses: readonly Address[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (all || !first) process.nextTick(callback, null, [...addresses]);
    else process.nextTick(callback, null, first.address, first.family);
  };

const descriptionOf = (error: Error & { code?: unknown }): string => {
  const code = typeof error.code === 'string' ? error.code : '';
  if (error instanceof InternalAddress) return error.message;
  // `AbortSignal.timeout` rejects with a DOMException, which has no class of its own per reason.
  if (error.name === 'TimeoutError' || code === 'ABORT_ERR') return 'No response in time.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'The name could not be resolved.';
  if (code === 'ECONNREFUSED') return 'The connection was refused.';
  if (code === 'ECONNRESET' || code === 'EPIPE') return 'The connection was closed.';
  if (/^(?:EPROTO$|ERR_(?:TLS|SSL)|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED)/.test(code)) return `TLS failed: ${code}.`;
  if (code.startsWith('HPE_')) return 'The response was not HTTP.';
  return `The request failed${code === '' ? '' : `: ${code}`}.`;
};

/** Reads the first bytes of a body without waiting for the rest. */
const readStart = (response: IncomingMessage): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => resolve(Buffer.concat(chunks).subarray(0, RESPONSE_KEPT_BYTES).toString('utf8'));
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= RESPONSE_KEPT_BYTES) finish();
    });
    response.once('end', finish);
    response.once('error', finish);
    response.once('close', finish);
  });

const connectionClosed = (): Error => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' });

interface RequestOptions extends Pick<OutboundRequest, 'headers'> {
  readonly method: 'POST' | 'HEAD' | 'GET';
  readonly body?: string;
}

const send = async (
  url: URL,
  { method, headers, body }: RequestOptions,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Pick<OutboundResponse, 'status' | 'response'> & { readonly location: string | undefined }> => {
  const addresses = await checkedAddresses(hostOf(url), resolve, signal);
  const startRequest = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const request = startRequest(url, {
    method,
    // A new connection per request: a pooled one was validated for another host.
    agent: false,
    lookup: lookupOf(addresses),
    maxHeaderSize: HEADERS_MAX_BYTES,
    signal,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
  });
  try {
    const response = await new Promise<IncomingMessage>((fulfil, reject) => {
      request.once('response', fulfil);
      // `on`, not `once`: errors after the response must not be unhandled; the status counts then.
      request.on('error', reject);
      request.once('close', () => reject(connectionClosed()));
      request.end(body);
    });
    return {
      status: response.statusCode ?? null,
      response: await readStart(response),
      location: response.headers.location,
    };
  } finally {
    request.destroy();
  }
};

/** Replacements for tests. */
interface OutboundOptions {
  readonly resolve?: Resolve;
  readonly timeoutMs?: number;
}

/** Sends a POST request with a timeout of ten seconds. Never throws for a failure of the receiver. */
export const postOutbound = async (
  request: OutboundRequest,
  { resolve = systemResolve, timeoutMs = TIMEOUT_MS }: OutboundOptions = {},
): Promise<OutboundResponse> => {
  const startedAt = performance.now();
  const elapsedMs = () => Math.round(performance.now() - startedAt);
  const url = URL.parse(request.url);
  const urlFault = receiverError(url);
  if (urlFault !== undefined || !url) {
    return { status: null, response: null, error: `The address ${urlFault}.`, duration_ms: elapsedMs() };
  }
  try {
    const options = { ...request, method: 'POST' } as const;
    const { status, response } = await send(url, options, resolve, AbortSignal.timeout(timeoutMs));
    return { status, response, error: null, duration_ms: elapsedMs() };
  } catch (error) {
    return { status: null, response: null, error: descriptionOf(error as Error), duration_ms: elapsedMs() };
  }
};

const probe = async (
  url: URL,
  method: 'HEAD' | 'GET',
  headers: OutboundRequest['headers'],
  { resolve = systemResolve, timeoutMs = TIMEOUT_MS }: OutboundOptions,
): Promise<OutboundProbe> => {
  let outcome: OutboundProbe['lookup'] = null;
  const observedResolve: Resolve = async (hostname) => {
    try {
      const addresses = await resolve(hostname);
      outcome = 'resolved';
      return addresses;
    } catch (error) {
      outcome = 'failed';
      throw error;
    }
  };
  try {
    const { status, location } = await send(url, { method, headers }, observedResolve, AbortSignal.timeout(timeoutMs));
    const isRedirect = status !== null && status >= REDIRECTS_FROM && status < REDIRECTS_TO;
    const redirectUrl = isRedirect && location !== undefined ? URL.parse(location, url.href)?.href : undefined;
    return { status, noSuchName: false, lookup: outcome, ...(redirectUrl !== undefined && { redirectUrl }) };
  } catch (error) {
    return { status: null, noSuchName: (error as { code?: unknown }).code === 'ENOTFOUND', lookup: outcome };
  }
};

/**
 * Requests a URL to see whether it responds; plain http is allowed. Some servers reject `HEAD` or treat it differently,
 * so a 4xx is verified with `GET`. Never throws for a failure of the receiver.
 */
export const probeOutbound = async (
  request: Pick<OutboundRequest, 'url' | 'headers'>,
  options: OutboundOptions = {},
): Promise<OutboundProbe> => {
  const url = URL.parse(request.url);
  if (!url || syntaxError(url, true) !== undefined) return { status: null, noSuchName: false, lookup: null };
  const head = await probe(url, 'HEAD', request.headers, options);
  if (head.status === null || !isRefusal(head.status)) return head;
  return await probe(url, 'GET', request.headers, options);
};
