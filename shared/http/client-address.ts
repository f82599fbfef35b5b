import { BlockList, isIP } from 'node:net';
import { InvalidEnvironment } from '#platform/environment.ts';

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** An IPv6 address may have a zone, such as `%eth0`. */
const withoutZone = (address: string): string => address.replace(/%.*$/, '');

/**
 * A predicate for addresses in any of the ranges (`10.0.0.0/8`, `::1`).
 * @throws {InvalidEnvironment} for an invalid range.
 */
export const addressRanges = (ranges: readonly string[]): ((address: string) => boolean) => {
  const list = new BlockList();
  for (const range of ranges) {
    const [text = '', bits, ...more] = range.split('/');
    const family = familyOf(text);
    const familyBits = family === 'ipv6' ? 128 : 32;
    const isValid = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= familyBits && more.length === 0);
    if (isIP(text) === 0 || !isValid) {
      throw new InvalidEnvironment([`TRUSTED_PROXIES contains "${range}", which is not an address range`]);
    }
    list.addSubnet(withoutZone(text), bits === undefined ? familyBits : Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(withoutZone(address), familyOf(address));
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

/** The groups of an IPv6 address. A URL has it in its shortest form, with `::` for a run of zeros. */
const groupsOf = (address: string): string[] => {
  const [start = '', end] = new URL(`http://[${withoutZone(address)}]`).hostname.slice(1, -1).split('::');
  const [before, after] = [start, end ?? ''].map((part) => part.split(':').filter((group) => group !== '')) as [
    string[],
    string[],
  ];
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after];
};

/** The unit of rate limiting: an IPv4 address, or the /64 network of an IPv6 address, which has one subscriber. */
export const bucketOf = (address: string): string =>
  isIP(address) === 6 ? `${groupsOf(address).slice(0, 4).join(':')}::/64` : address;
