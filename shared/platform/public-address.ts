import { BlockList, isIP } from 'node:net';

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

/** Whether a text is an IP address on the public internet. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !internalV4.check(address, 'ipv4');
    case 6:
      return globalV6.check(address, 'ipv6') && !internalV6.check(address, 'ipv6');
    default:
      return false;
  }
};

/** Whether a text is an IP address of this host. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
