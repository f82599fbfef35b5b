import type * as z from 'zod';

/**
 * Who may call a route.
 * `public`: anybody, credentials are not looked at. `optional`: anybody, a valid credential is honoured and a bad one ignored.
 * `user`: a verified identity. `admin`: a verified identity whose record has `is_admin`. `cron`: the shared secret.
 * `signature`: the payment provider's signature over the raw body.
 */
export type Auth = 'public' | 'optional' | 'user' | 'admin' | 'cron' | 'signature';

/** All rate tiers. Their counts and windows are settings, see `#platform/settings/rates.ts`. */
export const tiers = ['general', 'voting', 'auth', 'submission', 'admin', 'analytics', 'comments'] as const;
export type Tier = (typeof tiers)[number];

/** All feature flags. A switched-off feature answers 404 on its routes before any other check. */
export const features = ['comments', 'ratings', 'map', 'ai', 'email', 'analytics', 'promotions', 'webhooks'] as const;
export type Feature = (typeof features)[number];

/**
 * What a function may touch beyond answering: the source of its IAM statements and environment variables.
 * `table:get`: items whose keys are known. `table:query`: collections of the table. `table:collection`: those of its index.
 * `table:write`: items, alone and in transactions. `table:sweep`: remove what is left of something, many items at once.
 * `catalog`: the feed index.
 * `model`: ask a language model. `mail`: send mail. `bus`: put events on the bus. `stream`: read the table's stream. `stripe`: the payment provider's secret.
 * `health`: ask whether the table and the bus answer.
 */
export const needs = [
  'table:get',
  'table:query',
  'table:collection',
  'table:write',
  'table:sweep',
  'catalog',
  'mail',
  'bus',
  'stream',
  'stripe',
  'model',
  'health',
] as const;
export type Need = (typeof needs)[number];

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** A body that is written piece by piece and never held whole in memory. */
export interface StreamedReply {
  readonly stream: true;
  readonly contentType: string;
  readonly description: string;
}

/** A text body of a fixed type, such as a style sheet. */
export interface TextReply {
  readonly stream: false;
  readonly contentType: string;
  readonly description: string;
}

export type ReplySchema = z.ZodType | StreamedReply | TextReply;

export interface RouteDeclaration {
  readonly method: Method;
  /** The id whose file holds the door, where several routes share one; the route's own when absent. */
  readonly door?: `${string}.${string}`;
  /** Variables are named after the resource, one name per position: `/api/projects/{project}`. */
  readonly path: `/${string}`;
  /** A few words, imperative: the title in the reference. */
  readonly summary: string;
  /** What the reference says beyond the title. */
  readonly description?: string;
  readonly auth: Auth;
  /** `none` is for callers that must never be limited: the payment provider, and whoever asks whether the service is alive. */
  readonly tier: Tier | 'none';
  readonly feature?: Feature;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodType;
  /** How the body arrives; JSON when absent. */
  readonly bodyKind?: 'json' | 'multipart';
  /** Honours `If-Match` with the resource's tag; a stale one is 412. */
  readonly ifMatch?: true;
  /** Its changes stand in the audit log; those of administrators always do. */
  readonly audited?: true;
  /** Fields of the body that no log may keep, such as addresses with a secret in them. */
  readonly confidential?: readonly string[];
  /** Its work is told what visitors are told apart by; nobody else's is. */
  readonly visitor?: true;
  /** Honours `Idempotency-Key`: the same key and body get the first answer again for a day. */
  readonly idempotent?: true;
  /** Status to schema. Nothing that the schema does not promise leaves the service. */
  readonly replies: Readonly<Record<number, ReplySchema>>;
  /** Failures of the work itself; those of the gates are derived from the other fields. */
  readonly failures?: readonly import('#shared/errors.ts').ErrorCode[];
  readonly needs: readonly Need[];
  /** How long shared caches may keep the answer, in seconds; 0: nobody may keep it. Without, every use asks again. */
  readonly cacheSeconds?: number;
  /** When one run may take longer than the usual 10 seconds; the gateway ends a request after 29. */
  readonly timeoutSeconds?: number;
  /** When a function needs another size than its kind's usual memory, in MB. */
  readonly memoryMb?: number;
}

export type Route<Id extends string = string, D extends RouteDeclaration = RouteDeclaration> = D & {
  /** `domain.verbObject`; the door is `functions/<domain>/<verb-object>.ts`. */
  readonly id: Id;
};

/** States a route as one value. The literal types survive, so a handler's input and replies are checked against it. */
export const defineRoute = <const Id extends `${string}.${string}`, const D extends RouteDeclaration>(
  id: Id,
  declaration: D,
): Route<Id, D> => ({ id, ...declaration });

/** The names of the variables in a path, such as `project`. */
export type PathVariable<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathVariable<Rest>
  : never;

/** Whether what a route changes stands in the audit log. */
export const isAudited = (route: RouteDeclaration): boolean =>
  route.audited === true || (route.auth === 'admin' && route.method !== 'GET');
