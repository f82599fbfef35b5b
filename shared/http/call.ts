import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { PathVariable, Route, StreamedResponse } from '#contract/route.ts';
import type { RunningRequest } from '#data/idempotency.ts';
import type { VisitorSignals } from '#model/analytics.ts';
import type { Caller } from '#model/api-key.ts';
import type { Fragment } from '#model/fragment.ts';
import type { Environment } from '#platform/environment.ts';
import type { RunningRequestTime } from '#platform/time-limit.ts';
import { notFound, payloadTooLarge } from '#shared/errors.ts';
import type { Encoded } from './response-body.ts';

/** The largest JSON body, in bytes. */
export const JSON_BYTES_MAX = 256 * 1024;

/** Longer than any id or slug; DynamoDB rejects keys beyond 2048 bytes. */
const PARAMETER_MAX = 200;

/** The value of a path variable, which a REST API delivers percent-encoded. */
const decoded = (encoded: string): string | undefined => {
  try {
    return decodeURIComponent(encoded);
  } catch {
    // Not UTF-8, or an incomplete escape.
    return undefined;
  }
};

/** The path variables, decoded. @throws 404 for values that cannot be an id or a slug. */
export const paramsOf = ({ event }: MiddlewareRequest): Record<string, string> => {
  const params: Record<string, string> = {};
  for (const [name, encoded] of Object.entries(event.pathParameters ?? {})) {
    const value = decoded(encoded ?? '');
    if (!value || value.length > PARAMETER_MAX || !value.isWellFormed()) throw notFound();
    params[name] = value;
  }
  return params;
};

/** The raw body bytes, which the signature covers. @throws 413. */
export const signedBody = ({ event }: MiddlewareRequest): SignedBody => {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8');
  if (bytes.length > JSON_BYTES_MAX) throw payloadTooLarge(JSON_BYTES_MAX);
  return { bytes, signature: header(event, 'stripe-signature') };
};

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A file part of a multipart body. */
export interface UploadedFile {
  readonly filename: string;
  readonly content: Buffer;
}

/** The fields and files of a multipart body by name. A field is bytes too: it may hold a file. */
export interface MultipartBody {
  readonly fields: Readonly<Record<string, Buffer>>;
  readonly files: Readonly<Record<string, UploadedFile>>;
}

/** A body that is authenticated by a signature over its exact bytes. */
interface SignedBody {
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

type SessionOf<R extends Route> = R['session'] extends true ? SessionCookies : undefined;

type VisitorOf<R extends Route> = R['visitor'] extends true ? VisitorSignals : undefined;

/** What a request brings of a session besides the token of the caller. */
interface SessionCookies {
  readonly refreshToken: string | undefined;
}

/** The argument of a handler: validated input and the caller. */
export interface Call<R extends Route = Route> {
  readonly params: Readonly<Record<PathVariable<R['path']>, string>>;
  readonly query: OutputOf<R['query']>;
  readonly body: BodyOf<R>;
  readonly user: UserOf<R>;
  /** The tags of `If-Match`, where the route honours it and the caller sent it. */
  readonly ifMatch: readonly string[] | undefined;
  readonly requestId: string;
  /** The path of the route in the table, with its variables: tells routes apart that share a handler. */
  readonly resource: string;
  /** The path as sent. Its end matters for relative addresses in a page only. */
  readonly path: string;
  /** Reads a header of the request by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  /** The `User-Agent` header; must not be stored. */
  readonly userAgent: string | undefined;
  /** Signals that identify a visitor, on routes with `visitor`; must not be stored unhashed. */
  readonly visitor: VisitorOf<R>;
  /** On routes with `session`. */
  readonly session: SessionOf<R>;
  /** On idempotent routes with a key: a ULID that retries of the request share. */
  readonly seed: string | undefined;
  /** The time until the request is answered with 504, in milliseconds. */
  readonly remainingMs: () => number;
}

interface ResponseHead<Status> {
  readonly status: Status;
  /** The version of a single record; part of its ETag, which is otherwise the digest of the body alone. */
  readonly version?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of `Set-Cookie` headers. */
  readonly cookies?: readonly string[];
}

/** A response whose body is written piece by piece. */
export interface StreamResponse<Status = number> extends ResponseHead<Status> {
  readonly stream: AsyncIterable<string>;
}

/** A body whose lists may consist of fragments. */
type WithFragments<Body> = {
  readonly [Name in keyof Body]:
    | Body[Name]
    | (Body[Name] extends readonly (infer Item extends object)[] ? readonly Fragment<Item>[] : never);
};

type ResponseWith<Status, S> = S extends z.ZodType
  ?
      | (ResponseHead<Status> & { readonly body: z.input<S> | WithFragments<z.input<S>> })
      | (ResponseHead<Status> & { readonly encoded: Encoded })
  : S extends StreamedResponse
    ? StreamResponse<Status>
    : ResponseHead<Status> & {
        readonly text: string;
        /** The digest of the text, where it is known; it takes a third of the time to respond with a page. */
        readonly tag?: string;
        /** One of the declared types; the first by default. */
        readonly contentType?: S extends {
          readonly contentType: infer First;
          readonly otherTypes: readonly (infer Other)[];
        }
          ? First | Other
          : never;
      };

/** What a handler may return: one of the route's statuses with a matching body. */
export type RouteResponse<R extends Route = Route> = {
  [Status in keyof R['responses'] & number]: ResponseWith<Status, R['responses'][Status]>;
}[keyof R['responses'] & number];

export interface RequestState {
  readonly route: Route;
  readonly environment: Environment;
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
  /** The text of a JSON body as sent, before it is parsed. */
  sentBody?: string;
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

export type MiddlewareRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult> & {
  internal: { state: RequestState };
};

/**
 * A request header by its lower-case name. Several lines of a header are joined (RFC 9110, section 5.3), those of cookies by
 * a semicolon (RFC 9113, section 8.2.3): browsers send each cookie in a line of its own over HTTP/2, and the gateway's
 * `headers` has the last line only.
 */
export const header = ({ multiValueHeaders }: APIGatewayProxyEvent, name: string): string | undefined => {
  const lines: string[] = [];
  // Most headers that are asked for are missing: no lower-case copy of all names is made for them.
  for (const spelling in multiValueHeaders) {
    if (spelling.length === name.length && spelling.toLowerCase() === name)
      lines.push(...(multiValueHeaders[spelling] ?? []));
  }
  return lines.length > 0 ? lines.join(name === 'cookie' ? '; ' : ', ') : undefined;
};
