import { asciiHost } from '#contract/host.ts';

/** The characters of RFC 5322's dot atoms, as SES takes them: no quotation marks, nothing beyond ASCII. */
const ATOM = String.raw`[\w!#$%&'*+/=?^\x60{|}~-]+`;
const LOCAL_PART = new RegExp(String.raw`^(?=.{1,64}$)${ATOM}(?:\.${ATOM})*$`);

/** SES takes no underscores in domains, no single labels and no IPv4 addresses. */
const DOMAIN = /^[a-z\d.-]+\.[a-z\d-]*[a-z][a-z\d-]*$/;

/** The domain of a mail address as hosts are written, in lower case where it is none; undefined without an address. */
export const mailDomain = (address: string | null): string | undefined => {
  const domain = address?.slice(address.lastIndexOf('@') + 1);
  return domain ? (asciiHost(domain) ?? domain.toLowerCase()) : undefined;
};

/**
 * The form of a single address that mail can be sent to, with the domain in Punycode.
 * @returns undefined for an address that SES never takes, such as one with a local part beyond ASCII, and for what is not
 * exactly one address.
 */
export const sendableAddress = (address: string): string | undefined => {
  const local = address.slice(0, Math.max(address.lastIndexOf('@'), 0));
  const domain = asciiHost(mailDomain(address) ?? '') ?? '';
  return LOCAL_PART.test(local) && DOMAIN.test(domain) ? `${local}@${domain}` : undefined;
};
