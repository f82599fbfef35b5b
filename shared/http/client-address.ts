import { BlockList, isIP } from 'node:net';

/** Whether an address lies in one of the configured ranges (`10.0.0.0/8`, `::1`). */
export const addressRanges = (ranges: readonly string[]): ((address: string) => boolean) => {
  // The usual case, and what a list of ranges needs is loaded with the first one.
  if (ranges.length === 0) return () => false;
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (isIP(address) === 0) throw new Error(`TRUSTED_PROXIES has "${range}", which is not an address range.`);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
};

/** Takes the port and brackets that proxies may write around an address. */
const bare = (entry: string): string =>
  entry
    .trim()
    .replace(/^\[(.+)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/^::ffff:(?=\d+\.)/i, '');

/**
 * Whose request it is: the gateway's own view of the peer, unless that peer is trusted to speak for others. Then it is the
 * rightmost address of `X-Forwarded-For` that is not trusted itself; what stands left of it anybody may have written.
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
 * What a caller has sent as `X-Forwarded-For` through a gateway that writes the peer behind it, and behind an edge also the
 * edge. Only for requests that are known to have come through one: elsewhere the peer's address may have been put there.
 */
export const sentThroughGateway = (forwardedFor: string | undefined, peer: string): string | undefined => {
  const chain = forwardedFor?.split(',') ?? [];
  const own = chain.map(bare).lastIndexOf(bare(peer));
  return own < 0 ? forwardedFor : chain.slice(0, own).join(',') || undefined;
};

/**
 * What is counted as one caller: an IPv4 address, or the /64 network of an IPv6 address, of which every household has a
 * whole one to pick addresses from.
 */
export const bucketOf = (address: string): string => {
  if (isIP(address) !== 6) return address;
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const gap = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array<string>(gap).fill('0'), ...right];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};
