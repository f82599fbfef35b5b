import type * as z from 'zod';

/**
 * Who may call a route.
 * `public`: all callers, credentials are ignored. `optional`: all callers, a valid credential is used and a bad one ignored.
 * `user`: a verified identity, or an API key with a scope of the route. `admin`: a verified identity whose record has
 * `is_admin`, a moderator where the route allows them, or an API key with a scope of the route. `cron`: the shared secret.
 * `signature`: the payment provider's signature over the raw body.
 */
type Auth = 'public' | 'optional' | 'user' | 'admin' | 'cron' | 'signature';

/** All rate tiers. Their counts and windows are environment variables, see `#platform/environment.ts`. */
export const tiers = ['general', 'voting', 'auth', 'submission', 'admin', 'analytics', 'comments'] as const;
export type Tier = (typeof tiers)[number];

/** All feature flags. Routes of a disabled feature respond with 404 before any other check. */
export const features = [
  'comments',
  'ratings',
  'map',
  'ai',
  'email',
  'analytics',
  'promotions',
  'webhooks',
  'moderators',
  'search',
  'bookmarks',
  'site',
  'collections',
  'feeds',
  'fields',
  'drafts',
  'claims',
  'mcp',
  'vote_review',
  'follows',
] as const;
export type Feature = (typeof features)[number];

/** What features need of others: without these they are off too. */
export const neededFeatures: Partial<Readonly<Record<Feature, Feature>>> = { follows: 'email' };

/** All scopes of API keys. A route lists those that cover it. */
export const scopes = [
  'projects:read',
  'projects:write',
  'moderation',
  'categories:write',
  'imports:write',
  'analytics:read',
  'webhooks:write',
  'events:read',
] as const;
export type Scope = (typeof scopes)[number];

/**
 * The permissions of a function: the source of its IAM statements and environment variables.
 * `table:get`: items by key. `table:query`: partitions of the table. `table:collection`: partitions of its collection index.
 * `table:sweep`: writes the declared entities in batches too: deletion of orphaned data, entries of batches.
 * `table:feed`: partitions of its feed index. `catalog`: the feed of the catalog, with its snapshots.
 * `model`: call a language model. `mail`: send mail, each once. `bus`: put events on the bus. `stream`: read the table's
 * stream.
 * `unsubscribe`: the secret of addresses to unsubscribe.
 * `stripe`: the payment provider's secret. `sign-in`: the addresses of sign-in, without access to it. `accounts`: delete
 * accounts of the stage's user pool. `secrets:seal`: encrypt webhook secrets. `secrets:open`: decrypt them.
 * `site`: the name and the address of the pages, without access to anything.
 * `uploads:sign`, `uploads:read`, `uploads:delete`: let a caller upload a file; read and delete uploaded files.
 * `uploads:origin`: the address of uploads, without access to them.
 * `dead-letters`: receive and delete the messages of dead-letter queues.
 * `health`: describe the table and the bus.
 */
export const permissions = [
  'table:get',
  'table:query',
  'table:collection',
  'table:feed',
  'table:sweep',
  'catalog',
  'mail',
  'bus',
  'stream',
  'stripe',
  'unsubscribe',
  'sign-in',
  'site',
  'accounts',
  'model',
  'secrets:seal',
  'secrets:open',
  'uploads:origin',
  'uploads:sign',
  'uploads:read',
  'uploads:delete',
  'dead-letters',
  'health',
] as const;
export type Permission = (typeof permissions)[number];

/**
 * The entities of the table that functions write: the source of the key conditions of their IAM statements. Each is what
 * IAM can tell apart, a set of partitions; `shared/data/entities.ts` has their keys.
 * `projects`: projects with their counters, votes, ratings, comments, reports, claims, revisions and daily figures. `slugs`: the
 * claims of projects on slugs and URLs. `reports`: the lookup of reports by id. `batches`: batches with their entries.
 * `events`: events and tasks in the outbox. `audit`: the audit log; audited changes write it without a declaration.
 * `analytics`: the daily figures of the site and of searches. `tracked-events`, `visitors`, `promotion-counts`: what a roll-up reads and
 * writes besides. `payments`: the payment ledger. `vote-salts`: the salts of the networks of votes. `checkpoints`: where resumable jobs continue. `jobs`: requested runs.
 * `users:roles`: users with their roles and bans. `users:counts`: the comment counts of users. `users:notifications`: their preferences for mail. `users:erase`: the record of
 * an erased user. `bookmarks`: the bookmarks of users, and their numbers. `follows`: the follows of users, with the state of their digests. `collections`: collections with their slugs and their number. `claims`: the lookup of claims by id, and the open claims of users. `api-keys:end`: the end of keys whose creator is erased.
 */
export const entities = [
  'projects',
  'slugs',
  'reports',
  'categories',
  'batches',
  'imports',
  'rules',
  'fields',
  'saved-replies',
  'settings',
  'drafts',
  'checkouts',
  'payments',
  'promotions',
  'promotion-counts',
  'tracked-events',
  'vote-salts',
  'visitors',
  'analytics',
  'events',
  'audit',
  'deduplication',
  'webhooks',
  'deliveries',
  'dead-letters',
  'mail-suppressions',
  'jobs',
  'checkpoints',
  'snapshots',
  'feed-stamps',
  'api-keys',
  'api-keys:end',
  'user-count',
  'users:roles',
  'users:counts',
  'users:notifications',
  'users:erase',
  'bookmarks',
  'follows',
  'collections',
  'claims',
] as const;
export type Entity = (typeof entities)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A streamed body, never held whole in memory. */
export interface StreamedResponse {
  readonly stream: true;
  readonly contentType: string;
  readonly description: string;
  /** Of a JSON body, for the OpenAPI document. */
  readonly schema?: z.ZodType;
}

/** A text body of a fixed type, such as a style sheet. */
export interface TextResponse {
  readonly stream: false;
  readonly contentType: string;
  /** Types that a response may have instead, as its `contentType`. */
  readonly otherTypes?: readonly string[];
  readonly description: string;
}

export type ResponseSchema = z.ZodType | StreamedResponse | TextResponse;

/** The timeout of a route's function, in seconds. */
export const DEFAULT_TIMEOUT_SECONDS = 10;

/** Who may call a route besides administrators; stated for every route of theirs. */
interface StaffAccess {
  readonly auth: 'admin';
  /** The scopes of API keys that cover the route, each of them alone; none: no key may use it. */
  readonly scopes: readonly Scope[];
  /** Whether moderators may use it, while the feature `moderators` is enabled. */
  readonly moderators: boolean;
}

interface OtherAccess {
  readonly auth: Exclude<Auth, 'admin'>;
  /** As for administrators' routes; none by default. */
  readonly scopes?: readonly Scope[];
  readonly moderators?: never;
}

interface CommonDeclaration {
  readonly method: Method;
  /** The id of the handler when several routes share one; defaults to the id of the route. */
  readonly handlerId?: `${string}.${string}`;
  /** Variables are named after the resource, one name per position: `/api/projects/{project}`. */
  readonly path: `/${string}`;
  /** The title in the reference: a few words in the imperative. */
  readonly summary: string;
  readonly description?: string;
  /** `none` exempts a route: the payment provider's webhook and the health check. */
  readonly tier: Tier | 'none';
  /** The tier in which some of its requests count besides their own; the handler says which. */
  readonly secondTier?: Tier;
  readonly feature?: Feature;
  readonly query?: z.ZodObject;
  /**
   * The parts of the query that belong to other features. While one is disabled, its parameters count as unknown, and its
   * values of other parameters are rejected.
   */
  readonly optionalQuery?: readonly {
    readonly feature: Feature;
    readonly parameters: readonly string[];
    readonly values: Readonly<Record<string, readonly string[]>>;
  }[];
  readonly body?: z.ZodType;
  /** The largest JSON body in bytes, when it differs from the limit of all routes. */
  readonly bodyBytesMax?: number;
  /** The encoding of the body; JSON by default. */
  readonly bodyKind?: 'json' | 'multipart';
  /** Honours `If-Match`; a stale tag is 412. */
  readonly ifMatch?: true;
  /** Refuses the requests of pages of other origins, with or without a credential. */
  readonly ownOrigin?: true;
  /** Speaks JSON-RPC: its 400 and 404 can be errors of that protocol. */
  readonly jsonRpc?: true;
  /** Banned users may use it although it writes. */
  readonly allowsBanned?: true;
  /** Hands a listing in for review, for which the service may require a verified email address. */
  readonly submits?: true;
  /** Never requires a verified email address although it writes. */
  readonly allowsUnverified?: true;
  /** Changes are recorded in the audit log. Changes by administrators always are. */
  readonly audited?: true;
  /** Body fields that are never logged, such as URLs that contain a secret. */
  readonly confidential?: readonly string[];
  /** The handler receives the signals that distinguish visitors. */
  readonly visitor?: true;
  /** Reads or sets the cookies of a session, which pages of other origins may not change. */
  readonly session?: true;
  /** Honours `Idempotency-Key`: the same request with the same key returns the first response for a day. */
  readonly idempotent?: true;
  /** Status to schema. Responses are encoded through the schema, so undeclared fields never leave. */
  readonly responses: Readonly<Record<number, ResponseSchema>>;
  /** Failures of the handler; those of the middleware are derived from the other fields. */
  readonly failures?: readonly import('#shared/errors.ts').ErrorCode[];
  /** Its failures are pages: always those of its handler, others where `Accept` names `text/html`. */
  readonly errorPages?: true;
  /** The description of its 404 when that can be a page. */
  readonly notFoundPage?: string;
  readonly permissions: readonly Permission[];
  /**
   * The entities that the handler writes; none by default. What the middleware writes is derived: the audit log, the
   * records of idempotent requests, users at their first sight, rate counters.
   */
  readonly writes?: readonly Entity[];
  /** The reserved concurrency of the function, in stages that reserve it: an upper limit, for functions that many events start. */
  readonly reservedConcurrency?: number;
  /**
   * `max-age` of shared caches, in seconds. 0: `no-store`. Absent: `no-store` for writes and signed-in callers, else
   * `no-cache`.
   */
  readonly cacheSeconds?: number;
  /** The function's timeout when it differs from the default; API Gateway ends a request after 29 seconds. */
  readonly timeoutSeconds?: number;
  /** The function's memory in MB when it differs from the default of its kind. */
  readonly memoryMb?: number;
}

export type RouteDeclaration = CommonDeclaration & (StaffAccess | OtherAccess);

export type Route<Id extends string = string, D extends RouteDeclaration = RouteDeclaration> = D & {
  /** `domain.action`; the handler is `functions/<domain>/<action>.ts` in kebab case. */
  readonly id: Id;
};

/** The access of routes for administrators, and for API keys with one of the scopes. */
export const forAdmins = <const Scopes extends readonly Scope[]>(...covering: Scopes) =>
  ({ auth: 'admin', tier: 'admin', scopes: covering, moderators: false }) as const;

/** The access of routes for administrators, moderators, and API keys with one of the scopes. */
export const forStaff = <const Scopes extends readonly Scope[]>(...covering: Scopes) =>
  ({ ...forAdmins(...covering), moderators: true }) as const;

/** The access of routes for administrators only: no scope of an API key covers them. */
export const adminOnly = forAdmins();

/** Declares a route as one value. Literal types are kept, so a handler's input and responses are checked against it. */
export const defineRoute = <const Id extends `${string}.${string}`, const D extends RouteDeclaration>(
  id: Id,
  declaration: D,
): Route<Id, D> => ({ id, ...declaration });

/** The names of the variables in a path, such as `project`. */
export type PathVariable<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathVariable<Rest>
  : never;

/** Whether a route may take longer than others: exports, changes of many records, calls of other servers. */
export const mayTakeLong = ({ timeoutSeconds = DEFAULT_TIMEOUT_SECONDS }: RouteDeclaration): boolean =>
  timeoutSeconds > DEFAULT_TIMEOUT_SECONDS;

export const isAudited = (route: RouteDeclaration): boolean =>
  route.audited === true || (route.auth === 'admin' && route.method !== 'GET');
