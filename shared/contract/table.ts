import * as ai from './ai.ts';
import * as analytics from './analytics.ts';
import * as apiKeys from './api-keys.ts';
import * as audit from './audit.ts';
import * as batches from './batches.ts';
import * as bookmarks from './bookmarks.ts';
import * as categories from './categories.ts';
import * as claims from './claims.ts';
import * as collections from './collections.ts';
import * as comments from './comments.ts';
import * as console from './console.ts';
import * as fields from './custom-fields.ts';
import * as deadLetters from './dead-letters.ts';
import * as drafts from './drafts.ts';
import * as events from './events.ts';
import * as feeds from './feeds.ts';
import * as follows from './follows.ts';
import * as health from './health.ts';
import * as imports from './imports.ts';
import * as jobs from './jobs.ts';
import * as mail from './mail.ts';
import * as mcp from './mcp.ts';
import * as payments from './payments.ts';
import * as projects from './projects.ts';
import * as promotions from './promotions.ts';
import * as reactions from './reactions.ts';
import * as reports from './reports.ts';
import * as revisions from './revisions.ts';
import type { Route } from './route.ts';
import * as rules from './rules.ts';
import * as savedReplies from './saved-replies.ts';
import * as search from './search.ts';
import * as session from './session.ts';
import * as settings from './settings.ts';
import * as site from './site.ts';
import * as summary from './summary.ts';
import * as users from './users.ts';
import * as voteCases from './vote-cases.ts';
import * as webhooks from './webhooks.ts';

/** The module that declares the routes of a domain, in the order of the reference. A module may declare several. */
const modules = {
  // `projects` last: the names `list` and `read` are declared by both.
  projects: { ...batches, ...projects },
  drafts,
  revisions,
  votes: reactions,
  comments,
  ratings: reactions,
  bookmarks,
  follows,
  claims,
  batches,
  imports,
  categories,
  collections,
  fields,
  users,
  session,
  apiKeys,
  settings,
  summary,
  events,
  webhooks,
  reports,
  voteCases,
  savedReplies,
  search,
  rules,
  ai,
  analytics,
  audit,
  jobs,
  deadLetters,
  mail,
  payments,
  promotions,
  cron: jobs,
  feeds,
  mcp,
  health,
  docs: console,
  console,
  site,
} as const;

type Modules = typeof modules;

/** A job is declared as a pair of routes that share a handler. */
interface JobRoutes {
  readonly post: Route;
  readonly get: Route;
}

type ActionIn<Domain extends string, Exported> = Exported extends Route<`${Domain}.${infer Action}`> ? Action : never;

type RoutesIn<Domain extends string, Module> = {
  readonly [Name in keyof Module as ActionIn<Domain, Module[Name]>]: Extract<Module[Name], Route>;
} & {
  readonly [Name in keyof Module as Module[Name] extends JobRoutes
    ? ActionIn<Domain, Module[Name]['post']>
    : never]: Extract<Module[Name], JobRoutes>['post'];
} & {
  readonly [Name in keyof Module as Module[Name] extends JobRoutes
    ? ActionIn<Domain, Module[Name]['get']>
    : never]: Extract<Module[Name], JobRoutes>['get'];
};

const isRoute = (value: unknown): value is Route =>
  typeof value === 'object' && value !== null && 'id' in value && 'method' in value && 'responses' in value;

const routesOf = (exported: unknown): readonly Route[] => {
  if (isRoute(exported)) return [exported];
  if (typeof exported !== 'object' || exported === null || !('post' in exported) || !('get' in exported)) return [];
  return [exported.post, exported.get].filter(isRoute);
};

const methods = ['GET', 'POST', 'PUT', 'DELETE'];

/** The order of the reference within a domain: by path, administrators' paths last. */
const inOrder = (one: Route, other: Route): number =>
  Number(one.path.startsWith('/api/admin/')) - Number(other.path.startsWith('/api/admin/')) ||
  (one.path === other.path
    ? methods.indexOf(one.method) - methods.indexOf(other.method)
    : one.path < other.path
      ? -1
      : 1);

const actionOf = (route: Route): string => route.id.slice(route.id.indexOf('.') + 1);

/**
 * Every route of the service by domain and action. The gateway, its functions and their permissions, the local server, the
 * OpenAPI document, the typed client and the invariants are derived from it. Functions do not import it, because it
 * would add every schema to their bundle.
 */
export const table = Object.fromEntries(
  Object.entries(modules).map(([domain, module]) => [
    domain,
    Object.fromEntries(
      Object.values(module)
        .flatMap(routesOf)
        .filter(({ id }) => id.startsWith(`${domain}.`))
        .toSorted(inOrder)
        .map((route) => [actionOf(route), route]),
    ),
  ]),
) as { readonly [Domain in keyof Modules]: RoutesIn<Domain, Modules[Domain]> };

/** All routes in the order of the reference. */
export const routes: readonly Route[] = Object.values(table).flatMap((domain) => Object.values(domain) as Route[]);

/** The file of a handler without its extension: `projects.exportCsv` is `projects/export-csv`. */
export const handlerFileOf = (id: string): string =>
  id.replace('.', '/').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** The id of a route's handler: its own, unless it shares one. */
export const handlerIdOf = (route: Pick<Route, 'id' | 'handlerId'>): string => route.handlerId ?? route.id;
