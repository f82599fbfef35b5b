import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { PathVariable, Route, StreamedReply } from '#contract/route.ts';
import type { RunningRequest } from '#data/idempotency.ts';
import type { VisitorSignals } from '#model/analytics.ts';
import type { Caller } from '#model/api-key.ts';
import type { Fragment } from '#model/fragment.ts';
import type { RunningRequestTime } from '#platform/request-time.ts';
import type { Settings } from '#platform/settings.ts';
import type { Encoded } from './encoded.ts';

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A file part of a multipart body. */
export interface UploadedFile {
  readonly filename: string;
  readonly content: Buffer;
}

/** The text fields and files of a multipart body by name. */
export interface MultipartBody {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, UploadedFile>>;
}

/** A body that is authenticated by a signature over its exact bytes. */
export interface SignedBody {
  readonly bytes: Buffer;
  /** The header as sent, not verified. */
  readonly signature: string | undefined;
}

type BodyOf<R extends Route> = R['auth'] extends 'signature'
  ? SignedBody
  : R['bodyKind'] extends 'multipart'
    ? MultipartBody
    : OutputOf<R['body']>;

type UserOf<R extends Route> = R['auth'] extends 'user' | 'admin'
  ? Caller
  : R['auth'] extends 'optional'
    ? Caller | undefined
    : undefined;

type VisitorOf<R extends Route> = R['visitor'] extends true ? VisitorSignals : undefined;

/** The argument of a handler: validated input and the caller. */
export interface Call<R extends Route = Route> {
  readonly params: Readonly<Record<PathVariable<R['path']>, string>>;
  readonly query: OutputOf<R['query']>;
  readonly body: BodyOf<R>;
  readonly user: UserOf<R>;
  /** The tags of `If-Match`, where the route honours it and the caller sent it. */
  readonly ifMatch: readonly string[] | undefined;
  readonly requestId: string;
  /** The `User-Agent` header; must not be stored. */
  readonly userAgent: string | undefined;
  /** Signals that identify a visitor, on routes with `visitor`; must not be stored unhashed. */
  readonly visitor: VisitorOf<R>;
  /** On idempotent routes with a key: a ULID that retries of the request share. */
  readonly seed: string | undefined;
  /** The time until the request is answered with 504, in milliseconds. */
  readonly remainingMs: () => number;
}

interface ReplyHead<Status> {
  readonly status: Status;
  /** The version of a single record; part of its ETag, which is otherwise the digest of the body alone. */
  readonly version?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reply whose body is written piece by piece. */
export interface StreamReply<Status = number> extends ReplyHead<Status> {
  readonly stream: AsyncIterable<string>;
}

/** A body of which lists may consist of fragments. */
type WithFragments<Body> = {
  readonly [Name in keyof Body]:
    | Body[Name]
    | (Body[Name] extends readonly (infer Item extends object)[] ? readonly Fragment<Item>[] : never);
};

type ReplyWith<Status, S> = S extends z.ZodType
  ?
      | (ReplyHead<Status> & { readonly body: z.input<S> | WithFragments<z.input<S>> })
      | (ReplyHead<Status> & { readonly encoded: Encoded })
  : S extends StreamedReply
    ? StreamReply<Status>
    : ReplyHead<Status> & {
        readonly text: string;
        /** One of the declared other types; the declared type by default. */
        readonly contentType?: S extends { readonly otherTypes: readonly (infer Type)[] } ? Type : never;
      };

/** What a handler may return: one of the route's statuses with a matching body. */
export type Reply<R extends Route = Route> = {
  [Status in keyof R['replies'] & number]: ReplyWith<Status, R['replies'][Status]>;
}[keyof R['replies'] & number];

/** The state of one request, shared by its middleware. */
export interface RequestState {
  readonly route: Route;
  readonly settings: Settings;
  readonly time: RunningRequestTime;
  startedAt: number;
  requestId: string;
  /** The client address, from trusted sources only. */
  address?: string;
  /** The caller's quota in the route's tier; unset before the rate limiter has counted the request. */
  quota?: {
    readonly tier: string;
    readonly limit: number;
    readonly windowSeconds: number;
    readonly remaining: number;
    readonly resetSeconds: number;
  };
  user?: Caller;
  /** Whether the credential came in a cookie, which browsers attach to cross-site requests too. */
  byCookie: boolean;
  /** Set by the middleware `authorize`: the caller may use the route, and the input comes next. */
  isIdentified?: boolean;
  /** Unset until the input has been validated. */
  input?: { params: Record<string, string>; query: unknown; body: unknown; ifMatch: readonly string[] | undefined };
  /** Set by the middleware `multipart`. */
  multipartBody?: MultipartBody;
  /** The request with an idempotency key that this invocation executes. */
  runningRequest?: RunningRequest;
  /** The response stored under the same idempotency key. */
  storedResponse?: APIGatewayProxyResult;
  /** The unexpected error behind a 500 or 503, for the log only. */
  cause?: unknown;
}

/** A Middy request with our state. */
export type MiddlewareRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult> & {
  internal: { state: RequestState };
};

/** A request header by its lower-case name. Of several spellings the lower-case one wins, else the first. */
export const header = ({ headers }: APIGatewayProxyEvent, name: string): string | undefined => {
  const direct = headers?.[name];
  if (direct !== undefined) return direct;
  // Most headers that are asked for are missing: no lower-case copy of all names is made for them.
  for (const spelling in headers) {
    if (spelling.length === name.length && spelling.toLowerCase() === name) return headers[spelling];
  }
  return undefined;
};
