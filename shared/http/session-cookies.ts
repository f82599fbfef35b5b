import { environment } from '#platform/environment.ts';
import { header, type MiddlewareRequest } from './call.ts';

/** The cookie that same-origin browsers may send instead of the `Authorization` header. */
export const TOKEN_COOKIE = 'directory_token';
/** The cookie that renews a session. No other route receives it. */
const REFRESH_COOKIE = 'directory_refresh';

const REFRESH_PATH = '/api/session';
/** How long a browser keeps the second cookie, in seconds; the issuer decides how long it renews the session. */
const REFRESH_SECONDS = 30 * 86_400;

/** What the cookies of a session hold. */
interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string | undefined;
  readonly expiresAt: string;
}

const cookie = (name: string, value: string, path: string, seconds: number): string =>
  [
    `${name}=${value}`,
    `Path=${path}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(environment().httpsOnly ? ['Secure'] : []),
  ].join('; ');

const refreshCookie = (token: string | undefined): string =>
  cookie(REFRESH_COOKIE, encodeURIComponent(token ?? ''), REFRESH_PATH, token === undefined ? 0 : REFRESH_SECONDS);

/** The `Set-Cookie` headers of a session; without a refresh token, that of an earlier session is removed. */
export const sessionCookies = ({ accessToken, refreshToken, expiresAt }: Tokens): readonly string[] => {
  const seconds = Math.max(0, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000));
  return [cookie(TOKEN_COOKIE, accessToken, '/api', seconds), refreshCookie(refreshToken)];
};

/** The `Set-Cookie` headers that remove both cookies. */
export const endedCookies = (): readonly string[] => [cookie(TOKEN_COOKIE, '', '/api', 0), refreshCookie(undefined)];

/** The value of a request's cookie; undefined when it is absent or empty. */
export const cookieOf = ({ event }: Pick<MiddlewareRequest, 'event'>, wanted: string): string | undefined => {
  for (const pair of (header(event, 'cookie') ?? '').split(';')) {
    const [name, ...value] = pair.split('=');
    if (name?.trim() === wanted) return value.join('=').trim() || undefined;
  }
  return undefined;
};

/** The token that renews the session of a request; undefined when it is absent or was not set by this service. */
export const refreshTokenOf = (request: Pick<MiddlewareRequest, 'event'>): string | undefined => {
  const value = cookieOf(request, REFRESH_COOKIE);
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
};

/** Whether a request has a cookie of a session, valid or not. */
export const hasSessionCookie = (request: Pick<MiddlewareRequest, 'event'>): boolean =>
  cookieOf(request, TOKEN_COOKIE) !== undefined || cookieOf(request, REFRESH_COOKIE) !== undefined;
