import { firstInvisible } from './characters.ts';

/** An IPv6 address in brackets, or what browsers neither end a host at nor decode in it. */
const WRITTEN = /^(?:\[[\da-f:.]+\]|[^\s/\\?#@:%[\]]+)$/iu;

const IPV4 = /^\d+(?:\.\d+){3}$/;

/** With underscores, which names of services and some sites have. */
const LABEL = /^(?=.*[a-z\d])[a-z\d_-]{1,63}$/;

/** The longest host name that DNS takes, in characters of its ASCII form. */
export const HOST_MAX = 253;

/** URL parsers take a host of ASCII as it is. With a further label beyond ASCII they decode its Punycode and check it by UTS 46. */
const isValidPunycode = (host: string): boolean => !host.includes('xn--') || URL.canParse(`http://${host}.\u00fc/`);

const isName = (host: string): boolean => {
  const labels = host.split('.');
  return (
    (labels.length > 1 || host === 'localhost') &&
    host.length <= HOST_MAX &&
    labels.every((label) => LABEL.test(label)) &&
    isValidPunycode(host)
  );
};

/** A host, as `asciiHost` returns it, without `www.` in front. `www.com` is a host of its own. */
export const withoutWww = (host: string): string => host.replace(/^(?:www\.)+(?=[^.]+\.)/, '');

/**
 * The form of a host in parsed URLs: in lower case and Punycode, IPv6 addresses in brackets.
 * @param written an IP address, a name of at least two labels that UTS 46 accepts, or `localhost`; without invisible characters.
 * @returns undefined for everything else, such as `http`, `a..b` and the IP addresses that browsers read out of single numbers.
 */
export const asciiHost = (written: string): string | undefined => {
  if (!WRITTEN.test(written) || firstInvisible(written) !== undefined) return undefined;
  const host = URL.parse(`http://${written}/`)?.hostname;
  if (host === undefined) return undefined;
  if (IPV4.test(host)) return host === written ? host : undefined;
  return host.startsWith('[') || isName(host) ? host : undefined;
};
