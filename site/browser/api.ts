// Requests of islands to the API. The cookie of the session authenticates them.

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
}

export const send = async (method: Method, path: string, { body, headers = {} }: Options = {}): Promise<Response> => {
  try {
    return await fetch(`${apiUrl}${path}`, {
      method,
      cache: 'no-store',
      headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
  } catch {
    throw new RequestError(0, {});
  }
};

const failureOf = async (response: Response): Promise<RequestError> =>
  new RequestError(response.status, (await response.json().catch(() => ({}))) as FailureBody);

const renewed = async (): Promise<boolean> => {
  // Another page of this browser may have renewed it meanwhile.
  const current = await send('GET', '/session');
  if (!current.ok) throw await failureOf(current);
  if (((await current.json()) as { data: { user: object | null } }).data.user) return true;
  const response = await send('POST', '/session', { body: {} });
  if (!response.ok && response.status !== 401) throw await failureOf(response);
  return response.ok;
};

/** Runs in one page of this browser at a time, where the browser can see to that: by http it can only on the own machine. */
const alone = async <T>(run: () => Promise<T>): Promise<T> =>
  'locks' in navigator ? await navigator.locks.request('site-renewal', run) : await run();

let renewal: Promise<boolean> | undefined;

/**
 * Renews the session by its second cookie. Requests at the same time share one renewal, in all pages of the browser: issuers
 * take a refresh token that is used twice for a stolen one, and end the session.
 * @returns false when the session has ended. @throws {RequestError} while that cannot be known.
 */
export const renewSession = async (): Promise<boolean> => {
  renewal ??= alone(renewed).finally(() => {
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
