import { isIP } from 'node:net';
import ipaddr, { type IPv6 } from 'ipaddr.js';
import { InvalidEnvironment } from '#platform/settings.ts';

/** An address without its zone (`%eth0`) as IPv6; IPv4 addresses become IPv4-mapped ones. Undefined when invalid. */
const parseAddress = (text: string): IPv6 | undefined => {
  // Stricter than the parser of ipaddr.js, which accepts octal and shortened IPv4 addresses.
  if (isIP(text) === 0) return undefined;
  const address = ipaddr.parse(text.replace(/%.*$/, ''));
  return 'toIPv4MappedAddress' in address ? address.toIPv4MappedAddress() : address;
};

const parseRange = (range: string): [network: IPv6, prefixBits: number] => {
  const [text = '', bits, ...more] = range.split('/');
  const network = parseAddress(text);
  const familyBits = isIP(text) === 6 ? 128 : 32;
  const isValid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= familyBits && more.length === 0);
  if (!network || !isValid)
    throw new InvalidEnvironment([`TRUSTED_PROXIES contains "${range}", which is not an address range`]);
  return [network, bits === undefined ? 128 : Number(bits) + 128 - familyBits];
};

/**
 * A predicate for addresses in any of the ranges (`10.0.0.0/8`, `::1`).
 * @throws {InvalidEnvironment} for an invalid range.
 */
export const addressRanges = (ranges: readonly string[]): ((address: string) => boolean) => {
  const parsed = ranges.map(parseRange);
  if (parsed.length === 0) return () => false;
  return (text) => {
    const address = parseAddress(text);
    return address !== undefined && parsed.some((range) => address.match(range));
  };
};

/** Removes the port, brackets and IPv4-mapped prefix that proxies may add to an address. */
const bare = (entry: string): string =>
  entry
    .trim()
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * The address of the client: that of the gateway's peer or, when the peer is trusted to forward, the rightmost
 * untrusted address of `X-Forwarded-For`. Entries to the left of it can be forged.
 */
export const clientAddress = (
  peer: string,
  forwardedFor: string | undefined,
  isTrusted: (address: string) => boolean,
): string => {
  let client = bare(peer);
  if (forwardedFor === undefined) return client;
  const chain = forwardedFor.split(',').map(bare);
  while (chain.length > 0 && isTrusted(client)) {
    const next = chain.pop();
    if (next === undefined || isIP(next) === 0) break;
    client = next;
  }
  return client;
};

/**
 * The part of `X-Forwarded-For` that the caller sent: the gateway appends its peer, and behind an edge network also the
 * edge. Only for requests known to have passed the gateway; elsewhere the caller may have written the peer's address.
 */
export const sentThroughGateway = (forwardedFor: string | undefined, peer: string): string | undefined => {
  const chain = forwardedFor?.split(',') ?? [];
  const own = chain.map(bare).lastIndexOf(bare(peer));
  return own < 0 ? forwardedFor : chain.slice(0, own).join(',') || undefined;
};

/** The unit of rate limiting: an IPv4 address, or the /64 network of an IPv6 address, which has one subscriber. */
export const bucketOf = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const groups = parseAddress(address)?.parts.slice(0, 4) ?? [];
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
};
