import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay from 'find-my-way';
import type { Method } from '#contract/route.ts';

/** A request on its way to whoever answers it. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** As it was sent, still encoded. */
  readonly path: string;
  /** What stands after the first question mark, still encoded. */
  readonly query: string;
  /** The variables of the path, decoded. */
  readonly params: Readonly<Record<string, string>>;
}

/** Answers a request. */
export type Target = (exchange: Exchange) => Promise<void>;

/** Who answers at a path, by method. */
export type Targets = ReadonlyMap<Method, Target>;

/** A place in the router; the path is written as in the route table. */
export interface Placed {
  readonly method: Method;
  readonly path: string;
  readonly target: Target;
}

/** Longer than any line that the server takes. */
const VARIABLE_MAX = 16_384;

/** Takes an address apart; callers may also write it whole, with scheme and host. */
export const splitAddress = (url: string): { path: string; query: string } => {
  const address = url.startsWith('/') ? url : (URL.parse(url)?.href.replace(/^[^/]*\/\/[^/?]*/, '') ?? url);
  const mark = address.indexOf('?');
  return mark < 0 ? { path: address, query: '' } : { path: address.slice(0, mark), query: address.slice(mark + 1) };
};

/**
 * Makes what finds the targets of a path. As in the gateway, literal parts win over variables, and the path is decided
 * before the method.
 */
export const makeRouter = (places: readonly Placed[]) => {
  const byPath = new Map<string, Map<Method, Target>>();
  for (const { path, method, target } of places) {
    byPath.set(path, (byPath.get(path) ?? new Map<Method, Target>()).set(method, target));
  }
  const router = findMyWay({ maxParamLength: VARIABLE_MAX });
  for (const [path, targets] of byPath) {
    router.on('GET', path.replace(/\{(\w+)\}/g, ':$1'), () => undefined, targets);
  }
  return (path: string): { targets: Targets; params: Record<string, string> } | undefined => {
    const found = path.startsWith('/') ? router.find('GET', path) : null;
    if (!found) return undefined;
    const params = found.params as Record<string, string>;
    // To the gateway a path that ends where a variable should stand is another path.
    if (Object.values(params).includes('')) return undefined;
    return { targets: found.store as Targets, params };
  };
};
