import { once } from 'node:events';
import { connect } from 'node:tls';

/** How many days a certificate must still hold; those that renew themselves do so well before. */
const CERTIFICATE_DAYS_MIN = 14;
const DAY_MS = 86_400_000;

/** Whether an address leads to this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '[::1]'].includes(hostname) || hostname.startsWith('127.');

/**
 * Looks at the encryption of an address: a current protocol, and a certificate that is this host's and holds for a while.
 * @returns what there is, in a few words.
 * @throws when it is not good enough.
 */
export const checkTransport = async (url: URL, timeoutMs: number): Promise<string> => {
  if (url.protocol === 'http:') {
    if (isLoopback(url)) return 'none, on this machine';
    throw new Error('the address is http: tokens would travel in the open');
  }
  const socket = connect({
    host: url.hostname,
    port: Number(url.port || 443),
    servername: url.hostname,
    minVersion: 'TLSv1.2',
  });
  try {
    // An untrusted certificate, or another host's, is an error of the socket.
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
    if (!(days >= CERTIFICATE_DAYS_MIN)) throw new Error(`the certificate ends in ${days} days`);
    return `${socket.getProtocol()}, the certificate holds for ${days} more days`;
  } finally {
    socket.destroy();
  }
};
