import type * as z from 'zod';

/**
 * Who may call a route.
 * `public`: all callers, credentials are ignored. `optional`: all callers, a valid credential is used and a bad one ignored.
 * `user`: a verified identity, or an API key with a scope of the route. `admin`: a verified identity whose record has
 * `is_admin`, a moderator where the route allows them, or an API key with a scope of the route. `cron`: the shared secret.
 * `signature`: the payment provider's signature over the raw body.
 */
export type Auth = 'public' | 'optional' | 'user' | 'admin' | 'cron' | 'signature';

/** All rate tiers. Their counts and windows are settings, see `#platform/settings.ts`. */
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
] as const;
export type Feature = (typeof features)[number];

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
 * `table:write`: items, alone and in transactions. `table:sweep`: batch writes: deletion of orphaned data, entries of
 * batches.
 * `table:feed`: partitions of its feed index. `catalog`: the feed of the catalog, with its snapshots.
 * `model`: call a language model. `mail`: send mail. `bus`: put events on the bus. `stream`: read the table's stream.
 * `users:roles`: write roles and bans. `users:counts`: write the comment counts of users. `users:erase`: erase a user.
 * `stripe`: the payment provider's secret. `sign-in`: the addresses of sign-in, without access to it. `accounts`: delete
 * accounts of the stage's user pool. `secrets:seal`: encrypt webhook secrets. `secrets:open`: encrypt and decrypt them.
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
  'table:write',
  'table:sweep',
  'catalog',
  'mail',
  'bus',
  'stream',
  'stripe',
  'sign-in',
  'accounts',
  'model',
  'users:roles',
  'users:counts',
  'users:erase',
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

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A streamed body, never held whole in memory. */
export interface StreamedReply {
  readonly stream: true;
  readonly contentType: string;
  readonly description: string;
  /** Of a JSON body, for the OpenAPI document. */
  readonly schema?: z.ZodType;
}

/** A text body of a fixed type, such as a style sheet. */
export interface TextReply {
  readonly stream: false;
  readonly contentType: string;
  /** Types that a reply may have instead, as its `contentType`. */
  readonly otherTypes?: readonly string[];
  readonly description: string;
}

export type ReplySchema = z.ZodType | StreamedReply | TextReply;

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
  /** The text in the reference. */
  readonly description?: string;
  /** `none` exempts a route: the payment provider's webhook and the health check. */
  readonly tier: Tier | 'none';
  readonly feature?: Feature;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** The encoding of the body; JSON by default. */
  readonly bodyKind?: 'json' | 'multipart';
  /** Honours `If-Match`; a stale tag is 412. */
  readonly ifMatch?: true;
  /** Banned users may use it although it writes. */
  readonly allowsBanned?: true;
  /** Changes are recorded in the audit log. Changes by administrators always are. */
  readonly audited?: true;
  /** Body fields that are never logged, such as URLs that contain a secret. */
  readonly confidential?: readonly string[];
  /** The handler receives the signals that distinguish visitors. */
  readonly visitor?: true;
  /** Honours `Idempotency-Key`: the same key and body return the first response for a day. */
  readonly idempotent?: true;
  /** Status to schema. Responses are encoded through the schema, so undeclared fields never leave. */
  readonly replies: Readonly<Record<number, ReplySchema>>;
  /** Failures of the handler; those of the middleware are derived from the other fields. */
  readonly failures?: readonly import('#shared/errors.ts').ErrorCode[];
  readonly permissions: readonly Permission[];
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

/** Declares a route as one value. Literal types are kept, so a handler's input and replies are checked against it. */
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

/** Whether the changes of a route are recorded in the audit log. */
export const isAudited = (route: RouteDeclaration): boolean =>
  route.audited === true || (route.auth === 'admin' && route.method !== 'GET');
