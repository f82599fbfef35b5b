import * as z from 'zod';
import { data, reference, Timestamp } from './fields.ts';
import { defineRoute } from './route.ts';
import { User } from './users.ts';
import { URL_MAX } from './web-addresses.ts';

/** The longest value of a cookie, in characters: browsers keep none of more than 4096 bytes with its name and attributes. */
export const COOKIE_MAX = 3900;
/** What the cookies of a session hold together, in characters. API Gateway takes 10,240 bytes of headers, of a bearer token too. */
export const COOKIES_MAX = 2 * COOKIE_MAX;

/** The longest code of a sign-in, in characters. Issuers return codes of several thousand; CloudFront takes addresses of 8,192 bytes. */
const CODE_MAX = 8192;

/** Printable ASCII without what would end a cookie. */
const Token = z
  .string()
  .max(COOKIES_MAX)
  .regex(/^[\w~+/.=-]+$/, { error: 'must be a token' });

const SessionRequest = z
  .object({
    code: reference(CODE_MAX).optional().describe('The authorization code that the issuer returned.'),
    code_verifier: z
      .string()
      .regex(/^[\w.~-]{43,128}$/, { error: 'must be a code verifier of RFC 7636' })
      .optional(),
    redirect_uri: reference(URL_MAX).optional().describe('The address that the code was sent to.'),
    access_token: Token.optional().describe('An access token at hand.'),
  })
  .superRefine(({ code, code_verifier, redirect_uri, access_token }, context) => {
    const reject = (name: string, message = 'is required') =>
      context.issues.push({ code: 'custom', path: [name], message, input: undefined });
    const isExchange = code !== undefined || code_verifier !== undefined || redirect_uri !== undefined;
    if (isExchange && access_token !== undefined) reject('access_token', 'must not be sent with a code');
    if (!isExchange) return;
    if (code === undefined) reject('code');
    if (code_verifier === undefined) reject('code_verifier');
    if (redirect_uri === undefined) reject('redirect_uri');
  })
  .meta({ id: 'SessionRequest' });
export type SessionRequest = z.infer<typeof SessionRequest>;

const shared = {
  path: '/api/session',
  auth: 'optional',
  feature: 'site',
  session: true,
} as const;

export const begin = defineRoute('session.begin', {
  ...shared,
  method: 'POST',
  summary: 'Begin or renew a session',
  description:
    'With the code of a sign-in (authorization code with PKCE) or an access token, sets the cookie that browsers authenticate with. `{}` renews the session by its refresh cookie. Pages of other origins are refused.',
  tier: 'auth',
  allowsBanned: true,
  allowsUnverified: true,
  body: SessionRequest,
  responses: {
    200: data(
      z.object({
        user: User,
        expires_at: Timestamp.describe('When the session has to be renewed.'),
        is_renewable: z.boolean().describe('Whether `{}` can renew it.'),
      }),
    ),
  },
  failures: ['UNAUTHORIZED', 'FORBIDDEN', 'UNAVAILABLE'],
  permissions: ['sign-in'],
  writes: ['users:roles'],
});

export const read = defineRoute('session.read', {
  ...shared,
  method: 'GET',
  summary: 'Read who is signed in',
  description: 'By the cookie or a bearer token. An API key is not a session.',
  tier: 'general',
  responses: { 200: data(z.object({ user: User.nullable() })) },
  permissions: [],
});

export const end = defineRoute('session.end', {
  ...shared,
  method: 'DELETE',
  summary: 'End the session',
  description: 'Removes the cookies, and revokes what renews the session where the issuer supports it.',
  tier: 'general',
  allowsBanned: true,
  allowsUnverified: true,
  responses: { 200: data(z.object({ user: z.null() })) },
  failures: ['FORBIDDEN'],
  permissions: ['sign-in'],
});
