import { asciiHost } from '#contract/host.ts';

/** The characters of RFC 5322's dot atoms, as SES takes them: no quotation marks, nothing beyond ASCII. */
const ATOM = String.raw`[\w!#$%&'*+/=?^\x60{|}~-]+`;
const LOCAL_PART = new RegExp(String.raw`^(?=.{1,64}$)${ATOM}(?:\.${ATOM})*$`);

/** SES takes no underscores in domains, no single labels and no IPv4 addresses. */
const DOMAIN = /^[a-z\d.-]+\.[a-z\d-]*[a-z][a-z\d-]*$/;

/**
 * The form of a single address that mail can be sent to, with the domain in Punycode.
 * @returns undefined for an address that SES never takes, such as one with a local part beyond ASCII, and for what is not
 * exactly one address.
 */
export const sendableAddress = (address: string): string | undefined => {
  const at = address.lastIndexOf('@');
  const [local, domain] = [address.slice(0, Math.max(at, 0)), asciiHost(address.slice(at + 1)) ?? ''];
  return LOCAL_PART.test(local) && DOMAIN.test(domain) ? `${local}@${domain}` : undefined;
};
