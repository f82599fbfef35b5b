import { type Client, createClient } from '#shared/client.ts';
import { setOffline, setWaiting, whenOnline } from './app/connection.ts';
import { apiUrl } from './app/location.ts';
import { accessToken, askToSignIn } from './app/session.ts';
import * as strings from './strings.ts';

/** The messages of a 400 by field, nested as the body was. */
export interface FieldErrors {
  readonly _errors?: readonly string[];
  readonly [field: string]: FieldErrors | readonly string[] | undefined;
}

/** A failure as the service described it. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly details: FieldErrors | undefined;

  constructor(
    status: number,
    body: { error?: string; code?: string; message?: string; details?: unknown } | undefined,
  ) {
    super(body?.message ?? body?.error ?? strings.errors.unexpected(status));
    this.status = status;
    this.code = body?.code ?? '';
    this.details = body?.details as FieldErrors | undefined;
  }
}

/** No response arrived; whether the request had an effect is unknown. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';

  constructor(cause: unknown) {
    super(strings.errors.unreachable, { cause });
  }
}

/** The number of responses that are kept for conditional requests. */
const KEPT_MAX = 200;

const kept = new Map<string, { readonly etag: string; readonly text: string; readonly headers: Headers }>();

/** Forgets all responses; after signing out nothing may be left of them. */
export const forgetResponses = (): void => kept.clear();

const keep = async (address: string, response: Response): Promise<Response> => {
  const etag = response.headers.get('etag');
  if (!etag || !response.headers.get('content-type')?.startsWith('application/json')) return response;
  const text = await response.text();
  kept.delete(address);
  kept.set(address, { etag, text, headers: response.headers });
  const [oldest] = kept.keys();
  if (kept.size > KEPT_MAX && oldest !== undefined) kept.delete(oldest);
  return new Response(text, { status: response.status, headers: response.headers });
};

const attempt = async (address: string, init: RequestInit): Promise<Response> => {
  await whenOnline();
  const headers = new Headers(init.headers);
  const token = accessToken();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const known = init.method === 'GET' ? kept.get(address) : undefined;
  if (known) headers.set('if-none-match', known.etag);
  try {
    const response = await fetch(address, { ...init, headers, cache: 'no-store' });
    setOffline(false);
    return response.status === 304 && known ? new Response(known.text, { headers: known.headers }) : response;
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    setOffline(true);
    throw new Unreachable(error);
  }
};

/** Waits as long as the service asks for, and tells so. */
const waitFor = async (seconds: number): Promise<void> => {
  setWaiting(Date.now() + seconds * 1000);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  setWaiting(undefined);
};

/** The body of a refused request has had no effect, so the same request is sent again after the cause is gone. */
const send = async (address: string, init: RequestInit): Promise<Response> => {
  const response = await attempt(address, init);
  if (response.status === 401) {
    await askToSignIn();
    return await send(address, init);
  }
  if (response.status === 429) {
    await waitFor(Math.max(1, Number(response.headers.get('retry-after')) || 1));
    return await send(address, init);
  }
  return init.method === 'GET' && response.ok ? await keep(address, response) : response;
};

/** The typed client of the interface; a call returns every response, failures included. */
export const client: Client = createClient({
  baseUrl: apiUrl,
  fetch: (address, init) => send(String(address), init ?? {}),
});

interface AnyReply {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

type Success<R extends AnyReply> = Exclude<R, { readonly body: { readonly error: string } }>;

/** A successful reply. @throws {ApiError} for every other. */
export const replyOf = async <R extends AnyReply>(call: Promise<R>): Promise<Success<R>> => {
  const reply = await call;
  if (reply.status >= 400) throw new ApiError(reply.status, reply.body as ConstructorParameters<typeof ApiError>[1]);
  return reply as Success<R>;
};

/** The body of a successful reply. @throws {ApiError} for every other. */
export const bodyOf = async <R extends AnyReply>(call: Promise<R>): Promise<Success<R>['body']> =>
  (await replyOf(call)).body;

/** The `data` of a successful reply. @throws {ApiError} for every other. */
export const dataOf = async <R extends AnyReply>(
  call: Promise<R>,
): Promise<Success<R>['body'] extends { readonly data: infer Data } ? Data : never> =>
  ((await bodyOf(call)) as { data: never }).data;

/** The text of an error for people. */
export const messageOf = (error: unknown): string =>
  error instanceof Error && error.message !== '' ? error.message : strings.errors.unexpected(0);

/** The messages of a 400 for a field, or for one inside of it. */
export const fieldErrors = (error: unknown, ...path: readonly (string | number)[]): readonly string[] => {
  if (!(error instanceof ApiError)) return [];
  let found: FieldErrors | readonly string[] | undefined = error.details;
  for (const name of path)
    found = found === undefined || Array.isArray(found) ? undefined : (found as FieldErrors)[name];
  if (found === undefined || Array.isArray(found)) return [];
  const all = (one: FieldErrors): readonly string[] => [
    ...(one._errors ?? []),
    ...Object.entries(one).flatMap(([name, inner]) =>
      name === '_errors' || inner === undefined || Array.isArray(inner) ? [] : all(inner as FieldErrors),
    ),
  ];
  return all(found as FieldErrors);
};
