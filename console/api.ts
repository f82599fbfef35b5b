import { type Client, createClient } from '#shared/client.ts';
import { setOffline, setWaiting, unsent, whenOnline } from './app/connection.ts';
import { apiUrl } from './app/location.ts';
import { responseCache } from './app/response-cache.ts';
import { accessToken, askToSignIn, isTokenRefused, userId } from './app/session.ts';
import { words } from './format.ts';
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
export class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(cause: unknown) {
    super(strings.errors.unreachable, { cause });
  }
}

/** Another user signed in while a request waited. The request is not sent, and its response is dropped. */
export class OtherUserError extends Error {
  override readonly name = 'OtherUserError';
}

/** @throws {OtherUserError} unless the signed-in user is this one. */
const checkUser = (id: string | undefined): void => {
  if (userId() !== id) throw new OtherUserError(strings.errors.otherUser);
};

const cache = async (url: string, response: Response): Promise<Response> => {
  const etag = response.headers.get('etag');
  if (!etag || !response.headers.get('content-type')?.startsWith('application/json')) return response;
  const text = await response.text();
  responseCache.set(url, { etag, text, headers: response.headers });
  return new Response(text, { status: response.status, headers: response.headers });
};

const attempt = async (url: string, init: RequestInit, user: string | undefined): Promise<Response> => {
  await whenOnline();
  checkUser(user);
  const headers = new Headers(init.headers);
  const token = accessToken();
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  const cached = init.method === 'GET' ? responseCache.get(url) : undefined;
  if (cached) headers.set('if-none-match', cached.etag);
  try {
    const response = await fetch(url, { ...init, headers, cache: 'no-store' });
    setOffline(false);
    return response.status === 304 && cached ? new Response(cached.text, { headers: cached.headers }) : response;
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    setOffline(true);
    throw new NetworkError(error);
  }
};

/** Waits as long as the service asks for, and shows it. */
const waitFor = async (seconds: number): Promise<void> => {
  setWaiting(Date.now() + seconds * 1000);
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  setWaiting(undefined);
};

/** The body of a refused request has had no effect, so the same request is sent again after the cause is gone. */
const send = async (url: string, init: RequestInit, user: string | undefined): Promise<Response> => {
  const response = await attempt(url, init, user);
  if (response.status === 401 || (response.status === 403 && (await isTokenRefused()))) {
    await askToSignIn();
    return await send(url, init, user);
  }
  if (response.status === 429) {
    await waitFor(Math.max(1, Number(response.headers.get('retry-after')) || 1));
    return await send(url, init, user);
  }
  checkUser(user);
  return init.method === 'GET' && response.ok ? await cache(url, response) : response;
};

/** Like `send`; a change counts as unsent until it is answered, also while it waits for a connection or a sign-in. */
const sendCounted = async (url: string, init: RequestInit): Promise<Response> => {
  if (init.method === 'GET') return await send(url, init, userId());
  unsent.set(unsent.value + 1);
  try {
    return await send(url, init, userId());
  } finally {
    unsent.set(unsent.value - 1);
  }
};

/** The typed client of the interface; a call returns every response, failures included. */
export const client: Client = createClient({
  baseUrl: apiUrl,
  fetch: (url, init) => sendCounted(String(url), init ?? {}),
});

interface AnyResponse {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Headers;
}

type Success<R extends AnyResponse> = Exclude<R, { readonly body: { readonly error: string } }>;

/** A successful response. @throws {ApiError} for every other. */
export const responseOf = async <R extends AnyResponse>(call: Promise<R>): Promise<Success<R>> => {
  const response = await call;
  if (response.status >= 400)
    throw new ApiError(response.status, response.body as ConstructorParameters<typeof ApiError>[1]);
  return response as Success<R>;
};

/** The body of a successful response. @throws {ApiError} for every other. */
export const bodyOf = async <R extends AnyResponse>(call: Promise<R>): Promise<Success<R>['body']> =>
  (await responseOf(call)).body;

/** The `data` of a successful response. @throws {ApiError} for every other. */
export const dataOf = async <R extends AnyResponse>(
  call: Promise<R>,
): Promise<Success<R>['body'] extends { readonly data: infer Data } ? Data : never> =>
  ((await bodyOf(call)) as { data: never }).data;

/** The reasons that a 400 gives: those of the whole input, then those of its fields, with their names. */
const reasonsOf = ({ _errors = [], ...fields }: FieldErrors): readonly string[] => [
  ..._errors,
  ...Object.entries(fields).flatMap(([name, inner]) =>
    inner === undefined || Array.isArray(inner)
      ? []
      : reasonsOf(inner as FieldErrors).map((reason) => (/^\d+$/.test(name) ? reason : `${words(name)}: ${reason}`)),
  ),
];

/**
 * The text of an error for people, with the reasons that the service gives.
 * @param hasFields whether the reasons of fields stand beside these.
 */
export const messageOf = (error: unknown, { hasFields = false } = {}): string => {
  if (!(error instanceof Error) || error.message === '') return strings.errors.unexpected(0);
  const details = error instanceof ApiError ? error.details : undefined;
  const reasons = details && (hasFields ? (details._errors ?? []) : reasonsOf(details));
  return reasons && reasons.length > 0 ? `${error.message}: ${reasons.join('. ')}` : error.message;
};

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
