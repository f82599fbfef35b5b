import { BlockList, isIP } from 'node:net';

/**
 * Which addresses lie on the public internet, by the registries of special-purpose addresses of IANA. Everything else is
 * inside: this machine, its network, the cloud's metadata, and ways to name an inside address in another notation.
 */

const INSIDE_V4 = [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers
  ['127.0.0.0', 8], // loopback
  ['168.63.129.16', 32], // a cloud's own service on every host of it
  ['169.254.0.0', 16], // link-local, also the metadata of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays to IPv6
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
] as const;

// Of IPv6 only 2000::/3 is given out at all, so that is what is allowed, less what has a special meaning in it.
const GIVEN_OUT_V6 = ['2000::', 3] as const;
const INSIDE_V6 = [
  ['2001::', 23], // protocol assignments, among them Teredo, which wraps IPv4
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which wraps IPv4
  ['3fff::', 20], // documentation
] as const;

const listOf = (ranges: readonly (readonly [string, number])[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList();
  for (const [address, bits] of ranges) list.addSubnet(address, bits, family);
  return list;
};

const insideV4 = listOf(INSIDE_V4, 'ipv4');
const insideV6 = listOf(INSIDE_V6, 'ipv6');
const givenOutV6 = listOf([GIVEN_OUT_V6], 'ipv6');

const loopback = listOf([['127.0.0.0', 8]], 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether an address lies on the public internet; false for what is not an address. */
export const isPublicAddress = (address: string): boolean => {
  switch (isIP(address)) {
    case 4:
      return !insideV4.check(address, 'ipv4');
    case 6:
      return givenOutV6.check(address, 'ipv6') && !insideV6.check(address, 'ipv6');
    default:
      return false;
  }
};

/** Whether an address is this machine's own. */
export const isLoopbackAddress = (address: string): boolean =>
  isIP(address) !== 0 && loopback.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
