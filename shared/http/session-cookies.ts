import { COOKIE_MAX } from '#contract/session.ts';
import { environment } from '#platform/environment.ts';
import { header, type MiddlewareRequest } from './call.ts';

/** The cookie that same-origin browsers may send instead of the `Authorization` header. */
const TOKEN_COOKIE = 'directory_token';
/** What a token has beyond `COOKIE_MAX` characters. It counts only beside a token cookie of that length. */
const REST_COOKIE = 'directory_token_rest';
/** The cookie that renews a session. No other route receives it. */
const REFRESH_COOKIE = 'directory_refresh';

const REFRESH_PATH = '/api/session';
/** How long a browser keeps that cookie, in seconds; the issuer decides how long it renews the session. */
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

/** A part of a token; without one, that of an earlier token is removed. */
const tokenCookie = (name: string, part: string, seconds: number): string =>
  cookie(name, part, '/api', part === '' ? 0 : seconds);

/** The `Set-Cookie` headers of a session. They remove what an earlier session has beyond it. */
export const sessionCookies = ({ accessToken, refreshToken, expiresAt }: Tokens): readonly string[] => {
  const seconds = Math.max(0, Math.floor((Date.parse(expiresAt) - Date.now()) / 1000));
  return [
    tokenCookie(TOKEN_COOKIE, accessToken.slice(0, COOKIE_MAX), seconds),
    tokenCookie(REST_COOKIE, accessToken.slice(COOKIE_MAX), seconds),
    refreshCookie(refreshToken),
  ];
};

/** The `Set-Cookie` headers that remove all cookies. */
export const endedCookies = (): readonly string[] => [
  tokenCookie(TOKEN_COOKIE, '', 0),
  tokenCookie(REST_COOKIE, '', 0),
  refreshCookie(undefined),
];

/**
 * The values of a request's cookies of a name, without empty ones. A browser sends several when another page of the domain
 * has set one for a wider path or domain.
 */
const cookiesOf = ({ event }: Pick<MiddlewareRequest, 'event'>, wanted: string): readonly string[] =>
  (header(event, 'cookie') ?? '').split(';').flatMap((pair) => {
    const [name, ...rest] = pair.split('=');
    const value = rest.join('=').trim();
    return name?.trim() === wanted && value !== '' ? [value] : [];
  });

/** The access tokens in the cookies of a request. */
export const tokensInCookies = (request: Pick<MiddlewareRequest, 'event'>): readonly string[] => {
  const rests = cookiesOf(request, REST_COOKIE);
  return cookiesOf(request, TOKEN_COOKIE).flatMap((token) =>
    token.length < COOKIE_MAX ? [token] : [token, ...rests.map((rest) => `${token}${rest}`)],
  );
};

/** The token that renews the session of a request; undefined when it is absent or was not set by this service. */
export const refreshTokenOf = (request: Pick<MiddlewareRequest, 'event'>): string | undefined => {
  const [value] = cookiesOf(request, REFRESH_COOKIE);
  try {
    return value === undefined ? undefined : decodeURIComponent(value);
  } catch {
    return undefined;
  }
};

/** Whether a request has a cookie of a session, valid or not. */
export const hasSessionCookie = (request: Pick<MiddlewareRequest, 'event'>): boolean =>
  [TOKEN_COOKIE, REST_COOKIE, REFRESH_COOKIE].some((name) => cookiesOf(request, name).length > 0);
