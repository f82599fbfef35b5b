// Requests of islands to the API. The cookie of the session authenticates them.

import type { User } from '#contract/users.ts';

const root = document.documentElement;

/** The address of the API, and that of the home page. */
export const apiUrl = root.dataset.api ?? '/api';
export const homeUrl = root.dataset.home ?? '/';
/** What the paths of all pages begin with, whatever their language. */
export const baseUrl = apiUrl.replace(/\/api$/, '');

/** The address of a page. @param path after that of the home page. */
export const pageUrl = (path: string): string => `${homeUrl.replace(/\/$/, '')}${path}`;

/** The body of a failure. */
interface FailureBody {
  readonly error?: string;
  readonly code?: string;
  readonly message?: string;
  /** Why a user is banned. */
  readonly reason?: string;
  readonly retryAfter?: number;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** A response that is not the one wished for; status 0 without any. */
export class RequestError extends Error {
  readonly status: number;
  readonly body: FailureBody;

  constructor(status: number, body: FailureBody) {
    super(body.error ?? `Status ${status}`);
    this.status = status;
    this.body = body;
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface Options {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export const send = async (
  method: Method,
  path: string,
  { body, headers = {}, ...options }: Options = {},
): Promise<Response> => {
  try {
    return await fetch(`${apiUrl}${path}`, {
      method,
      cache: 'no-store',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      ...options,
    });
  } catch {
    throw new RequestError(0, {});
  }
};

export const failureOf = async (response: Response): Promise<RequestError> =>
  new RequestError(response.status, (await response.json().catch(() => ({}))) as FailureBody);

/** How long a page may keep the others from the session, in milliseconds; no gateway answers later. */
const SESSION_TIMEOUT_MS = 30_000;

/**
 * Sends requests about the session while no other page of this browser does: a response that arrives late would replace the
 * cookies of a newer one. Without https, browsers have locks on localhost only.
 */
export const withSessionLock = async <T>(run: (options: Options) => Promise<T>): Promise<T> => {
  const runInTime = () => run({ signal: AbortSignal.timeout(SESSION_TIMEOUT_MS) });
  return 'locks' in navigator ? await navigator.locks.request('site-session', runInTime) : await runInTime();
};

const userIn = async (response: Response): Promise<User | null> => {
  if (!response.ok) throw await failureOf(response);
  return ((await response.json()) as { data: { user: User | null } }).data.user;
};

const renewUnlessRenewed = async (options: Options): Promise<User | null> => {
  const user = await userIn(await send('GET', '/session', options));
  if (user) return user;
  const response = await send('POST', '/session', { ...options, body: {} });
  return response.status === 401 ? null : await userIn(response);
};

let renewal: Promise<User | null> | undefined;

/**
 * Renews the session by its refresh cookie, unless another page has done so. One page of the browser renews at a time: issuers
 * take a refresh token that is used twice for a stolen one, and end the session.
 * @returns its user; null when the session has ended. @throws {RequestError} while that cannot be known.
 */
export const renewSession = async (): Promise<User | null> => {
  renewal ??= withSessionLock(renewUnlessRenewed).finally(() => {
    renewal = undefined;
  });
  return await renewal;
};

/** The response of a route, after a renewal of the session where it has ended. @throws {RequestError} */
export const responseOf = async (method: Method, path: string, options?: Options): Promise<Response> => {
  const first = await send(method, path, options);
  const response = first.status === 401 && (await renewSession()) ? await send(method, path, options) : first;
  if (!response.ok) throw await failureOf(response);
  return response;
};

/** The `data` of a response. @throws {RequestError} */
export const request = async <T>(method: Method, path: string, options?: Options): Promise<T> =>
  ((await (await responseOf(method, path, options)).json()) as { data: T }).data;
