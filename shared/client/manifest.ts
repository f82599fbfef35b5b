import type { Route } from '#contract/route.ts';
import { table } from '#contract/table.ts';

/** Before the path of every route that the client calls; the pages of the console are no calls. */
export const PREFIX = '/api';

/** What a call needs: method, path below the prefix, and `text` or `stream` for a successful body other than JSON. */
export type Call = `${Route['method']} /${string}`;

/** The calls by domain and action. */
export type Manifest = Readonly<Record<string, Readonly<Record<string, Call>>>>;

const callOf = ({ method, path, replies }: Route): Call => {
  const reply = replies[200];
  const kind = reply === undefined || !('stream' in reply) ? '' : reply.stream ? ' stream' : ' text';
  return `${method} ${path.slice(PREFIX.length)}${kind}` as Call;
};

const { console: _pages, ...apiTable } = table;

/** Derived from the route table. The package contains the result only, so that a client loads no schemas. */
export const manifest: Manifest = Object.fromEntries(
  Object.entries(apiTable).map(([domain, actions]) => [
    domain,
    // Similar calls beside each other compress better.
    Object.fromEntries(
      Object.entries(actions)
        .map(([action, route]: [string, Route]) => [action, callOf(route)] as const)
        .toSorted(([, one], [, other]) => (one < other ? -1 : 1)),
    ),
  ]),
);
