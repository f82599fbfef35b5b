import type { Route } from '#contract/route.ts';
import { table } from '#contract/table.ts';

/** What the client needs of a route to call it: method, path, and `text` or `stream` for a successful body other than JSON. */
export type Call = `${Route['method']} /${string}`;

/** The calls by domain and action. */
export type Manifest = Readonly<Record<string, Readonly<Record<string, Call>>>>;

const callOf = ({ method, path, replies }: Route): Call => {
  const reply = replies[200];
  const kind = reply === undefined || !('stream' in reply) ? '' : reply.stream ? ' stream' : ' text';
  return `${method} ${path}${kind}` as Call;
};

/** Derived from the route table. The package contains the result only, so that a client loads no schemas. */
export const manifest: Manifest = Object.fromEntries(
  Object.entries(table).map(([domain, actions]) => [
    domain,
    Object.fromEntries(Object.entries(actions).map(([action, route]) => [action, callOf(route)])),
  ]),
);
