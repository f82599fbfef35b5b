import type * as z from 'zod';
import type { ErrorBody } from '#contract/envelope.ts';
import type { PathVariable, ReplySchema, Route, StreamedReply } from '#contract/route.ts';
import { table } from '#contract/table.ts';
import type { FailureStatus } from '#shared/errors.ts';

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** What a query may be given as: the text that travels, or the value that the service makes of it. */
type QueryOf<Q extends z.ZodType> = {
  [K in keyof z.input<Q>]: z.input<Q>[K] | (K extends keyof z.output<Q> ? z.output<Q>[K] : never);
};

type MaybeOptional<Name extends string, T> = undefined extends T
  ? { readonly [N in Name]?: T }
  : Partial<T> extends T
    ? { readonly [N in Name]?: T }
    : { readonly [N in Name]: T };

type BodyInput<R extends Route> = R['bodyKind'] extends 'multipart'
  ? { readonly body: FormData }
  : R['body'] extends z.ZodType
    ? MaybeOptional<'body', z.input<R['body']>>
    : unknown;

type QueryInput<R extends Route> = R['query'] extends z.ZodType ? MaybeOptional<'query', QueryOf<R['query']>> : unknown;

type ParamsInput<R extends Route> = [PathVariable<R['path']>] extends [never]
  ? unknown
  : { readonly params: Readonly<Record<PathVariable<R['path']>, string>> };

/** What every call may say beside the route's own input. */
export interface CallOptions {
  /** Such as `If-Match`, `Idempotency-Key` or `Accept-Language`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** What a call of a route is given. */
export type ClientInput<R extends Route> = Simplify<ParamsInput<R> & QueryInput<R> & BodyInput<R> & CallOptions>;

type BodyOfReply<S> = S extends z.ZodType
  ? z.output<S>
  : S extends StreamedReply
    ? ReadableStream<Uint8Array> | null
    : string;

/** What a call of a route answers: look at `status` to know what `body` is. */
export type ClientReply<R extends Route> =
  | {
      [Status in keyof R['replies'] & number]: {
        readonly status: Status;
        readonly body: BodyOfReply<R['replies'][Status]>;
        readonly headers: Headers;
      };
    }[keyof R['replies'] & number]
  | { readonly status: FailureStatus; readonly body: ErrorBody; readonly headers: Headers };

type ClientCall<R extends Route> =
  Partial<ClientInput<R>> extends ClientInput<R>
    ? (input?: ClientInput<R>) => Promise<ClientReply<R>>
    : (input: ClientInput<R>) => Promise<ClientReply<R>>;

type Table = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** One function per route, as `client.<domain>.<verb>`. */
export type Client<T extends Table = typeof table> = {
  readonly [Domain in keyof T]: { readonly [Verb in keyof T[Domain]]: ClientCall<T[Domain][Verb]> };
};

export interface ClientOptions {
  /** Where the service is, such as `http://localhost:3000`. */
  readonly baseUrl: string;
  /** An access token, or what makes one before each call. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** In place of the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const addressOf = (baseUrl: string, route: Route, { params = {}, query = {} }: AnyInput): string => {
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    // A list travels as one value with commas, which is also what an array becomes as text.
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return `${baseUrl.replace(/\/+$/, '')}${path}${search.size > 0 ? `?${search.toString()}` : ''}`;
};

const readBody = async (response: Response, schema: ReplySchema | undefined): Promise<unknown> => {
  if (schema && 'stream' in schema) return schema.stream ? response.body : await response.text();
  const text = await response.text();
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // Not ours: a proxy's page, for instance. The status says what there is to know.
    return { error: text };
  }
};

/**
 * A client of the service, typed by its table of routes.
 * @example const reply = await client.projects.submit({ body }); if (reply.status === 201) reply.body.data.id;
 * @throws what `fetch` throws when there is no answer at all; every answer is returned, also the bad ones.
 */
export const createClient = ({ baseUrl, token, fetch = globalThis.fetch }: ClientOptions): Client => {
  const call = async (route: Route, input: AnyInput = {}): Promise<unknown> => {
    const bearer = typeof token === 'function' ? await token() : token;
    const isJson = input.body !== undefined && !(input.body instanceof FormData);
    const headers = new Headers(input.headers);
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    if (isJson) headers.set('content-type', 'application/json');
    const response = await fetch(addressOf(baseUrl, route, input), {
      method: route.method,
      headers,
      ...(input.body !== undefined && { body: isJson ? JSON.stringify(input.body) : input.body }),
      ...(input.signal && { signal: input.signal }),
    });
    const body = await readBody(response, route.replies[response.status]);
    return { status: response.status, body, headers: response.headers };
  };
  const domains = Object.entries(table as Table).map(([domain, verbs]) => [
    domain,
    Object.fromEntries(
      Object.entries(verbs).map(([verb, route]) => [verb, (input?: AnyInput) => call(route, input)] as const),
    ),
  ]);
  return Object.fromEntries(domains) as Client;
};
