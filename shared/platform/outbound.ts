import { lookup } from 'node:dns/promises';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { isRefusal } from '#shared/errors.ts';
import { environment } from './environment.ts';
import { withTimeLimit } from './time-limit.ts';

// Requests to user-supplied URLs, restricted to public addresses. Host names are resolved here, every address is checked
// and the connection uses the checked addresses, which prevents DNS rebinding. Redirects are followed by callers, if at all.

interface OutboundRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface OutboundResponse {
  /** Null when there was no response. */
  readonly status: number | null;
  /** The first 17 KB of the response body. */
  readonly response: string | null;
  /** Why there was no response, as a sentence. */
  readonly error: string | null;
  readonly duration_ms: number;
}

interface OutboundProbe {
  /** Null when there was no response. */
  readonly status: number | null;
  /** Whether the host name does not exist, as opposed to a failed lookup. */
  readonly noSuchName: boolean;
  /** The outcome of the lookup of the host name; null without a name or an answer. */
  readonly lookup: 'resolved' | 'failed' | null;
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

// Public IP addresses, by the special-purpose address registries of IANA. Every other address is internal: this host,
// its network, cloud metadata, and IPv6 notations of such addresses.

const INTERNAL_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // carrier-grade NAT
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // Azure platform service
  ['169.254.0.0', 16], // link-local, includes cloud metadata
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarking
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

// IANA has allocated unicast addresses from 2000::/3 only.
const GLOBAL_V6 = ['2000::', 3] as const;
const INTERNAL_V6 = [
  ['2001::', 23], // protocol assignments, includes Teredo, which embeds IPv4
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which embeds IPv4
  ['3fff::', 20], // documentation
] as const;

const listOf = (ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
};

const internalV4 = listOf(INTERNAL_V4, 'ipv4');
const internalV6 = listOf(INTERNAL_V6, 'ipv6');
const globalV6 = listOf([GLOBAL_V6], 'ipv6');

const loopback = listOf([['127.0.0.0', 8]], 'ipv4');
loopback.addAddress('::1', 'ipv6');

const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !internalV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !internalV6.check(address, 'ipv6');
    default:
      return false;
  }
};

const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

class InternalAddress extends Error {
  override readonly name = 'InternalAddress';
}

const INTERNAL = 'leads to an address that is not on the public internet';

const isAllowed = (address: string): boolean =>
  isPublicAddress(address) || (environment().webhookAllowPrivate && isLoopbackAddress(address));

/** The host as a resolver expects it: IPv6 without brackets, names without a trailing dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');

/** Why a URL is not allowed, as far as can be decided without DNS. */
const syntaxError = (url: URL | null, allowHttp = environment().webhookAllowPrivate): string | undefined => {
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
  if (environment().webhookAllowPrivate && /(?:^|\.)localhost$/.test(name)) return undefined;
  return !name.includes('.') || INTERNAL_NAMES.test(name) ? INTERNAL : undefined;
};

/** Why the URL of a receiver of events is not allowed, as far as can be decided without DNS. */
const receiverError = (url: URL | null): string | undefined =>
  syntaxError(url) ?? (url ? nameError(hostOf(url)) : undefined);

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
  const addresses = await withTimeLimit(VALIDATION_LOOKUP_MS, () => resolve(host)).catch(() => []);
  return addresses.every(({ address }) => isAllowed(address)) ? undefined : INTERNAL;
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
const readStart = (response: IncomingMessage, bytesMax: number): Promise<string> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const finish = (): void => resolve(Buffer.concat(chunks).subarray(0, bytesMax).toString('utf8'));
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= bytesMax) finish();
    });
    response.once('end', finish);
    response.once('error', finish);
    response.once('close', finish);
  });

const connectionClosed = (): Error => Object.assign(new Error('The connection was closed.'), { code: 'ECONNRESET' });

interface RequestOptions extends Pick<OutboundRequest, 'headers'> {
  readonly method: 'POST' | 'HEAD' | 'GET';
  readonly body?: string;
  /** How much of the response body is read. */
  readonly bytesMax?: number;
}

interface SentHeaders {
  readonly location: string | undefined;
  readonly contentType: string | undefined;
}

const send = async (
  url: URL,
  { method, headers, body, bytesMax = RESPONSE_KEPT_BYTES }: RequestOptions,
  resolve: Resolve,
  signal: AbortSignal,
): Promise<Pick<OutboundResponse, 'status' | 'response'> & SentHeaders> => {
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
      response: await readStart(response, bytesMax),
      location: response.headers.location,
      contentType: response.headers['content-type'],
    };
  } finally {
    request.destroy();
  }
};

interface OutboundOptions {
  /** Ends a probe early, together with its second request. */
  readonly signal?: AbortSignal;
  /** A replacement for tests, like `timeoutMs`. */
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

/** Where a response redirects to, if it does. */
const redirectOf = (url: URL, status: number | null, location: string | undefined): URL | undefined => {
  const isRedirect = status !== null && status >= REDIRECTS_FROM && status < REDIRECTS_TO;
  return isRedirect && location !== undefined ? (URL.parse(location, url.href) ?? undefined) : undefined;
};

const probe = async (
  url: URL,
  method: 'HEAD' | 'GET',
  headers: OutboundRequest['headers'],
  { resolve = systemResolve, timeoutMs = TIMEOUT_MS, signal }: OutboundOptions,
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
    const timeout = AbortSignal.timeout(timeoutMs);
    const limit = signal ? AbortSignal.any([timeout, signal]) : timeout;
    const { status, location } = await send(url, { method, headers }, observedResolve, limit);
    const redirectUrl = redirectOf(url, status, location)?.href;
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

interface OutboundDocument {
  readonly status: number;
  readonly contentType: string | undefined;
  /** The first `bytesMax` bytes of the body. */
  readonly text: string;
}

interface ReadingOptions extends OutboundOptions {
  readonly bytesMax: number;
  /** Ends the reading, with all its requests. */
  readonly signal: AbortSignal;
  /** Whether a redirect may be followed. */
  readonly isFollowed: (url: URL) => boolean;
}

const READ_REDIRECTS_MAX = 5;

/**
 * Reads a document; plain http is allowed. Each redirect that is followed is checked like the first URL; one that is not is the
 * response itself. Never throws for a failure of the receiver.
 * @returns undefined when there was no response.
 */
export const readOutbound = async (
  { url: address, headers }: Pick<OutboundRequest, 'url' | 'headers'>,
  { resolve = systemResolve, bytesMax, signal, isFollowed }: ReadingOptions,
): Promise<OutboundDocument | undefined> => {
  let url = URL.parse(address);
  for (let hops = 0; url && hops <= READ_REDIRECTS_MAX; hops += 1) {
    if ((syntaxError(url, true) ?? nameError(hostOf(url))) !== undefined) return undefined;
    try {
      const { status, response, location, contentType } = await send(
        url,
        { method: 'GET', headers, bytesMax },
        resolve,
        signal,
      );
      if (status === null) return undefined;
      const next = redirectOf(url, status, location);
      if (!next || !isFollowed(next)) return { status, contentType, text: response ?? '' };
      url = next;
    } catch {
      return undefined;
    }
  }
  return undefined;
};
