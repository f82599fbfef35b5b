import { once } from 'node:events';
import { connect } from 'node:tls';

/** Managed certificates are renewed well before this. */
const CERTIFICATE_DAYS_MIN = 14;
const DAY_MS = 86_400_000;

/** Whether a URL points at this machine. */
export const isLoopback = ({ hostname }: URL): boolean =>
  ['localhost', '[::1]'].includes(hostname) || hostname.startsWith('127.');

/**
 * Checks TLS: a current protocol version and a certificate that is valid for this host and does not expire soon.
 * @returns a description.
 * @throws {Error} when a check fails.
 */
export const checkTransport = async (url: URL, timeoutMs: number): Promise<string> => {
  if (url.protocol === 'http:') {
    if (isLoopback(url)) return 'not encrypted, on this machine';
    throw new Error('the URL uses http: tokens would be transmitted unencrypted');
  }
  const socket = connect({
    host: url.hostname,
    port: Number(url.port || 443),
    servername: url.hostname,
    minVersion: 'TLSv1.2',
  });
  try {
    // The socket fails for an untrusted certificate and for that of another host.
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    const days = Math.floor((Date.parse(socket.getPeerCertificate().valid_to) - Date.now()) / DAY_MS);
    if (!(days >= CERTIFICATE_DAYS_MIN)) throw new Error(`the certificate expires in ${days} days`);
    return `${socket.getProtocol()}, certificate valid for ${days} days`;
  } finally {
    socket.destroy();
  }
};
