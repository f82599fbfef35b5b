import { canonicalHost } from '#model/canonical-url.ts';
import { urlShorteners } from '#model/url-shorteners.ts';

/** Whether a host is one of the others or below one of them. Linear in the length of the host. */
export const isBelow = (host: string, others: ReadonlySet<string>): boolean => {
  for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (others.has(rest)) return true;
    if (!rest.includes('.')) return false;
  }
};

export const isShortener = (url: string): boolean => isBelow(canonicalHost(url), urlShorteners);

/** The domain of a mail address as host names are written; undefined without an address. */
export const mailDomain = (email: string | null): string | undefined => {
  const domain = email?.slice(email.lastIndexOf('@') + 1);
  return domain ? (URL.parse(`http://${domain}/`)?.hostname ?? domain.toLowerCase()) : undefined;
};

let disposable: Promise<ReadonlySet<string>> | undefined;

/** The list has 170 KB, so it is loaded when it is first needed. */
const disposableDomains = (): Promise<ReadonlySet<string>> => {
  disposable ??= import('disposable-email-domains-js').then((list) => list.disposableEmailBlocklistSet());
  return disposable;
};

/** Whether a mail address is at a service of disposable addresses. */
export const isDisposable = async (email: string | null): Promise<boolean> => {
  const domain = mailDomain(email);
  return domain !== undefined && isBelow(domain, await disposableDomains());
};
