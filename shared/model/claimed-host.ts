import { getDomain } from 'tldts';
import { mailDomain } from './mail-address.ts';

/** The registrable domain of a host, by the public suffix list with its private part; a host without one is its own. */
export const registrableDomain = (host: string): string => getDomain(host, { allowPrivateDomains: true }) ?? host;

/** Whether a mail address is at a host or at its registrable domain. */
export const isMailAt = (address: string, host: string): boolean => {
  const domain = mailDomain(address);
  return domain !== undefined && (domain === host || domain === registrableDomain(host));
};

/** Whether a URL leads to the registrable domain of a host. */
export const isInDomainOf = (url: URL, host: string): boolean =>
  registrableDomain(url.hostname.replace(/\.$/, '')) === registrableDomain(host);
