import type { Request } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type * as z from 'zod';
import type { PathVariable, Route, StreamedReply } from '#contract/route.ts';
import type { RunningRequest } from '#data/idempotency.ts';
import type { VisitorSigns } from '#domain/analytics/track.ts';
import type { UserRecord } from '#domain/users/user.ts';
import type { Settings } from '#platform/settings.ts';
import type { Encoded } from './encoded.ts';

type OutputOf<S> = S extends z.ZodType ? z.output<S> : undefined;

/** One part of a multipart body that came as a file. */
export interface UploadedFile {
  readonly filename: string;
  readonly content: Buffer;
}

/** A multipart body: its text fields and its files by name. */
export interface MultipartBody {
  readonly fields: Readonly<Record<string, string>>;
  readonly files: Readonly<Record<string, UploadedFile>>;
}

/** A body whose sender is known by his signature over exactly these bytes. */
export interface SignedBody {
  readonly bytes: Buffer;
  /** As it was sent; nobody has looked at it yet. */
  readonly signature: string | undefined;
}

type BodyOf<R extends Route> = R['auth'] extends 'signature'
  ? SignedBody
  : R['bodyKind'] extends 'multipart'
    ? MultipartBody
    : OutputOf<R['body']>;

type UserOf<R extends Route> = R['auth'] extends 'user' | 'admin'
  ? UserRecord
  : R['auth'] extends 'optional'
    ? UserRecord | undefined
    : undefined;

type VisitorOf<R extends Route> = R['visitor'] extends true ? VisitorSigns : undefined;

/** What a door's work is given: input that has passed the route's schemas, and who asks. */
export interface Call<R extends Route = Route> {
  readonly params: Readonly<Record<PathVariable<R['path']>, string>>;
  readonly query: OutputOf<R['query']>;
  readonly body: BodyOf<R>;
  readonly user: UserOf<R>;
  /** The tags of `If-Match`, where the route honours it and the caller sent it. */
  readonly ifMatch: readonly string[] | undefined;
  readonly requestId: string;
  /** What the caller's program calls itself; never to be kept. */
  readonly userAgent: string | undefined;
  /** What visitors are told apart by, on routes that ask for it; never to be kept as it is. */
  readonly visitor: VisitorOf<R>;
  /** On idempotent routes with a key: a ULID that stays the same when the same request is tried again. */
  readonly seed: string | undefined;
}

interface ReplyHead<Status> {
  readonly status: Status;
  /** A strong tag without quotes; made from the body when absent. */
  readonly tag?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

type ReplyWith<Status, S> = S extends z.ZodType
  ? ReplyHead<Status> & ({ readonly body: z.input<S> } | { readonly encoded: Encoded })
  : S extends StreamedReply
    ? ReplyHead<Status> & { readonly stream: AsyncIterable<string> }
    : ReplyHead<Status> & { readonly text: string };

/** What a door may answer: one of the route's statuses with a body that fits its schema. */
export type Reply<R extends Route = Route> = {
  [Status in keyof R['replies'] & number]: ReplyWith<Status, R['replies'][Status]>;
}[keyof R['replies'] & number];

/** How idempotent routes keep their answers; see `#data/idempotency.ts`. */
export type Idempotency = typeof import('#data/idempotency.ts').idempotency;

/** What the gates learn about a request and hand on to the next. */
export interface GateState {
  readonly route: Route;
  readonly settings: Settings;
  startedAt: number;
  requestId: string;
  /** The caller's address, as far as it can be believed. */
  address?: string;
  /** Where the caller stands in his tier, once the limiter has passed him. */
  quota?: {
    readonly tier: string;
    readonly limit: number;
    readonly windowSeconds: number;
    readonly remaining: number;
    readonly resetSeconds: number;
  };
  user?: UserRecord;
  /** Whether the caller may do it to this thing, where the door was given the question; the body is as it came, unchecked. */
  readonly permit:
    | ((asked: { params: Record<string, string>; user: UserRecord | undefined; body: unknown }) => Promise<void>)
    | undefined;
  /** Whether a bearer's secret is the one of scheduled jobs, where the door was given the means to tell. */
  readonly isJobSecret: ((presented: string) => Promise<boolean>) | undefined;
  /** Reads a multipart body, where the door was given a reader. */
  readonly readMultipart: ((event: APIGatewayProxyEvent) => Promise<MultipartBody>) | undefined;
  /** Whether the credential came as a cookie, which a browser sends by itself. */
  byCookie: boolean;
  input?: { params: Record<string, string>; query: unknown; body: unknown; ifMatch: readonly string[] | undefined };
  /** How answers are kept under a key, where the door was given the means. */
  readonly idempotency: Idempotency | undefined;
  /** The request under whose key this run does the work. */
  running?: RunningRequest;
  /** An answer that was given before under the same key. */
  kept?: APIGatewayProxyResult;
  /** The failure that the caller is not told about. */
  cause?: unknown;
}

/** A request on its way through the gates. */
export type GateRequest = Request<APIGatewayProxyEvent, APIGatewayProxyResult> & {
  internal: { state: GateState };
};

const headersOf = new WeakMap<APIGatewayProxyEvent, ReadonlyMap<string, string | undefined>>();

/** One header of a request by its lower-case name; of several spellings the one that is written so, else the first. */
export const header = (event: APIGatewayProxyEvent, name: string): string | undefined => {
  const direct = event.headers?.[name];
  if (direct !== undefined) return direct;
  let known = headersOf.get(event);
  if (!known) {
    known = new Map(
      Object.entries(event.headers ?? {})
        .map(([key, value]) => [key.toLowerCase(), value] as const)
        .toReversed(),
    );
    headersOf.set(event, known);
  }
  return known.get(name);
};
