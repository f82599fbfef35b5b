import type * as z from 'zod';
import type { FieldType, Hours } from '#contract/custom-fields.ts';
import type { ErrorBody } from '#contract/fields.ts';
import type { PathVariable, Route, StreamedResponse } from '#contract/route.ts';
import type { table } from '#contract/table.ts';
import { type Call, manifest, PREFIX } from './client/manifest.ts';
import type { FailureStatus } from './errors.ts';

type Simplify<T> = { [K in keyof T]: T[K] } & {};

/** A query parameter can be given as its text or as the parsed value. */
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

export interface CallOptions {
  /** For example `If-Match` or `Idempotency-Key`. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export type ClientInput<R extends Route> = Simplify<ParamsInput<R> & QueryInput<R> & BodyInput<R> & CallOptions>;

type BodyOfResponse<S> = S extends z.ZodType
  ? z.output<S>
  : S extends StreamedResponse
    ? ReadableStream<Uint8Array> | null
    : string;

/** The response of a call; `status` determines the type of `body`. */
export type ClientResponse<R extends Route> =
  | {
      [Status in keyof R['responses'] & number]: {
        readonly status: Status;
        readonly body: BodyOfResponse<R['responses'][Status]>;
        readonly headers: Headers;
      };
    }[keyof R['responses'] & number]
  | { readonly status: FailureStatus; readonly body: ErrorBody; readonly headers: Headers };

type ClientCall<R extends Route> =
  Partial<ClientInput<R>> extends ClientInput<R>
    ? (input?: ClientInput<R>) => Promise<ClientResponse<R>>
    : (input: ClientInput<R>) => Promise<ClientResponse<R>>;

type Table = Readonly<Record<string, Readonly<Record<string, Route>>>>;

/** One function per route, as `client.<domain>.<action>`. */
export type Client<T extends Table = Omit<typeof table, 'console' | 'feeds' | 'mcp' | 'site'>> = {
  readonly [Domain in keyof T]: { readonly [Action in keyof T[Domain]]: ClientCall<T[Domain][Action]> };
};

/** What of a field's definition types its values. */
export interface FieldDefinition {
  readonly key: string;
  readonly type: FieldType;
  /** Of `select` and `multi_select`; without them any text is an option. */
  readonly options?: readonly { readonly value: string }[];
}

type OptionOf<Definition extends FieldDefinition> = Definition extends {
  readonly options: readonly { readonly value: infer Value extends string }[];
}
  ? Value
  : string;

interface ValueTypes<Option extends string> {
  readonly text: string;
  readonly long_text: string;
  readonly number: number;
  readonly select: Option;
  readonly multi_select: Option[];
  readonly boolean: boolean;
  readonly date: string;
  readonly url: string;
  readonly email: string;
  readonly phone: string;
  readonly hours: Hours;
}

/**
 * The type of `fields` of projects by the definitions of a directory.
 * @example const definitions = [{ key: 'seats', type: 'number' }] as const;
 * const seats: number | undefined = (project.fields as FieldValues<typeof definitions> | undefined)?.seats;
 */
export type FieldValues<Definitions extends readonly FieldDefinition[]> = {
  readonly [One in Definitions[number] as One['key']]?: ValueTypes<OptionOf<One>>[One['type']];
};

export interface ClientOptions {
  /** The origin of the service, such as `http://localhost:3000`. */
  readonly baseUrl: string;
  /** An access token, or a function that returns one before each call. */
  readonly token?: string | (() => string | undefined | Promise<string | undefined>);
  /** Replaces the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

const addressOf = (baseUrl: string, template: string, { params = {}, query = {} }: AnyInput): string => {
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const url = new URL(baseUrl.replace(/\/+$/, '') + PREFIX + path);
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Object.getPrototypeOf(value) === Object.prototype) {
      for (const [key, one] of Object.entries(value)) url.searchParams.set(`${name}[${key}]`, String(one));
    } else {
      // Lists are sent as one value with commas, which is also the text of an array.
      url.searchParams.set(name, String(value));
    }
  }
  return url.href;
};

const readBody = async (response: Response, kind: string | undefined): Promise<unknown> => {
  if (response.ok && kind === 'stream') return response.body;
  const text = await response.text();
  if (response.ok && kind === 'text') return text;
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // Not a response of the service, for instance the page of a proxy.
    return { error: text };
  }
};

const mapMembers = <T, U>(members: Readonly<Record<string, T>>, map: (member: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(members).map(([name, member]) => [name, map(member)]));

/**
 * A client of the service, typed by the route table.
 * @example const response = await client.projects.submit({ body }); if (response.status === 201) response.body.data.id;
 * @throws what `fetch` throws when there is no response. Every response is returned, failures included.
 */
export const createClient = ({ baseUrl, token, fetch = globalThis.fetch }: ClientOptions): Client => {
  const send = async (call: Call, input: AnyInput = {}): Promise<unknown> => {
    const [method, path, kind] = call.split(' ') as [string, string, string | undefined];
    const bearer = typeof token === 'function' ? await token() : token;
    const isJson = input.body !== undefined && !(input.body instanceof FormData);
    const headers = new Headers(input.headers);
    if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
    if (isJson) headers.set('content-type', 'application/json');
    const response = await fetch(addressOf(baseUrl, path, input), {
      method,
      headers,
      body: (isJson ? JSON.stringify(input.body) : input.body) ?? null,
      signal: input.signal ?? null,
    });
    const body = await readBody(response, kind);
    return { status: response.status, body, headers: response.headers };
  };
  return mapMembers(manifest, (actions) =>
    mapMembers(actions, (call) => (input?: AnyInput) => send(call, input)),
  ) as unknown as Client;
};
