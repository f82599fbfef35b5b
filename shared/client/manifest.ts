import { eventKindNames } from '#contract/events.ts';
import type { Route } from '#contract/route.ts';
import { table } from '#contract/table.ts';

/** Before the path of every route that the client calls; pages, feeds and images are no calls. */
export const PREFIX = '/api';

/** What a call needs: method, path below the prefix, and `text` or `stream` for a successful body other than JSON. */
export type Call = `${Route['method']} /${string}`;

export type Manifest = Readonly<Record<string, Readonly<Record<string, Call>>>>;

const callOf = ({ method, path, responses }: Route): Call => {
  const response = responses[200];
  const kind = response === undefined || !('stream' in response) ? '' : response.stream ? ' stream' : ' text';
  return `${method} ${path.slice(PREFIX.length)}${kind}` as Call;
};

const { console: _pages, feeds: _feeds, mcp: _mcp, site: _site, ...apiTable } = table;

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

export const eventKinds = eventKindNames;
