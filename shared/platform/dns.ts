import { Resolver } from 'node:dns/promises';
import { environment } from './environment.ts';
import type { Resolve } from './outbound.ts';

/** A question is repeated after this time, in milliseconds. */
const TRY_MS = 2000;
const TRIES = 2;

/** A resolver that ends with a signal. */
const resolverFor = (signal: AbortSignal): Resolver => {
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  const { claimDnsServer } = environment();
  if (claimDnsServer !== undefined) resolver.setServers([claimDnsServer]);
  signal.addEventListener('abort', () => resolver.cancel(), { once: true });
  return resolver;
};

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

/** Whether the name server has answered that there is no such record. */
const isAbsent = (error: unknown): boolean => codeOf(error) === 'ENOTFOUND' || codeOf(error) === 'ENODATA';

/** The TXT records of a name. @returns undefined when no name server has answered. */
export const readTxt = async (name: string, signal: AbortSignal): Promise<string[] | undefined> => {
  try {
    return (await resolverFor(signal).resolveTxt(name)).map((parts) => parts.join(''));
  } catch (error) {
    return isAbsent(error) ? [] : undefined;
  }
};

/** How the hosts of claims are resolved, when a name server is configured for it; undefined for the system's way. */
export const claimResolve = (signal: AbortSignal): Resolve | undefined => {
  if (environment().claimDnsServer === undefined) return undefined;
  return async (hostname) => {
    const resolver = resolverFor(signal);
    const noneIfAbsent = (error: unknown): string[] => {
      if (isAbsent(error)) return [];
      throw error;
    };
    const [v4, v6] = await Promise.all([
      resolver.resolve4(hostname).catch(noneIfAbsent),
      resolver.resolve6(hostname).catch(noneIfAbsent),
    ]);
    return [...v4.map((address) => ({ address, family: 4 })), ...v6.map((address) => ({ address, family: 6 }))];
  };
};
