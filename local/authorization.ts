import { createHash, randomBytes } from 'node:crypto';
import * as z from 'zod';
import { checked } from '#contract/fields.ts';
import { html, layout } from './html.ts';
import type { HttpResponse } from './http-response.ts';
import { jsonResponse, type LocalRequest, type LocalRoute, pageResponse } from './local-route.ts';

/** Path of the authorization endpoint of the local issuer. */
export const AUTHORIZATION_PATH = '/_local/authorize';

/** Who can sign in on the page; any other address gets a token from the token endpoint. */
export const localUsers = {
  administrator: { email: 'administrator@example.com', name: 'Administrator', role: 'admin' },
  moderator: { email: 'moderator@example.com', name: 'Moderator', role: 'moderator' },
  user: { email: 'user@example.com', name: 'User', role: 'user' },
} as const;
type LocalUser = keyof typeof localUsers;

const isLocalUser = (name: string | null): name is LocalUser => name !== null && Object.hasOwn(localUsers, name);

const CODE_MS = 60_000;

interface IssuedCode {
  readonly user: LocalUser;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly expiresAt: number;
}

const originOf = (request: LocalRequest): string => `http://${request.headers.host}`;

/** The parameters of RFC 6749 and RFC 7636. The issuer returns to pages of this server only. */
const authorizationRequest = (clientId: string, origin: string) =>
  z.object({
    response_type: z.literal('code'),
    client_id: z.literal(clientId),
    redirect_uri: z
      .string()
      .refine((value) => URL.parse(value)?.origin === origin, { error: `must be an address of ${origin}` }),
    code_challenge: z.string().regex(/^[\w-]{43}$/, { error: 'must be a challenge of RFC 7636' }),
    code_challenge_method: z.literal('S256'),
    state: z.string().max(500).optional(),
  });

/** An error in the shape of RFC 6749. */
export const grantError = (error: string): HttpResponse => ({ ...jsonResponse({ error }), status: 400 });

/**
 * The authorization code flow of the local issuer: a page with a button for each kind of user. Codes are kept in memory, can
 * be used once, and end after a minute.
 */
export const createAuthorization = (clientId: string) => {
  const codes = new Map<string, IssuedCode>();

  const requestOf = (request: LocalRequest) =>
    checked(authorizationRequest(clientId, originOf(request)), Object.fromEntries(request.query));

  const page = (request: LocalRequest): HttpResponse => {
    requestOf(request);
    const action = `${AUTHORIZATION_PATH}?${request.query.toString()}`;
    return pageResponse(
      layout(
        'Sign in',
        html`<h1>Sign in</h1>
<p>The issuer of this machine signs in without a password. Choose who you are.</p>
<form method="post" action="${action}">
${Object.entries(localUsers).map(
  ([name, user]) => html`<p><button class="action" name="as" value="${name}">${user.name}</button></p>`,
)}
</form>`,
      ),
    );
  };

  const choose = (request: LocalRequest): HttpResponse => {
    const { redirect_uri, code_challenge, state } = requestOf(request);
    const as = new URLSearchParams(request.body.toString('utf8')).get('as');
    const back = new URL(redirect_uri);
    if (state !== undefined) back.searchParams.set('state', state);
    if (isLocalUser(as)) {
      const now = Date.now();
      for (const [code, { expiresAt }] of codes) if (expiresAt <= now) codes.delete(code);
      const code = randomBytes(32).toString('base64url');
      codes.set(code, {
        user: as,
        redirectUri: redirect_uri,
        challenge: code_challenge,
        expiresAt: now + CODE_MS,
      });
      back.searchParams.set('code', code);
    } else {
      back.searchParams.set('error', 'access_denied');
    }
    return { status: 303, headers: { location: back.href, 'cache-control': 'no-store' }, body: '' };
  };

  /** The user of a code, which is then used up; undefined unless the verifier and the address are those of the request. */
  const redeem = (parameters: URLSearchParams): LocalUser | undefined => {
    const code = parameters.get('code') ?? '';
    const issued = codes.get(code);
    codes.delete(code);
    if (!issued || issued.expiresAt <= Date.now() || parameters.get('redirect_uri') !== issued.redirectUri) {
      return undefined;
    }
    const challenge = createHash('sha256')
      .update(parameters.get('code_verifier') ?? '')
      .digest('base64url');
    return challenge === issued.challenge ? issued.user : undefined;
  };

  const routes: readonly LocalRoute[] = [
    { method: 'GET', path: AUTHORIZATION_PATH, respond: page },
    { method: 'POST', path: AUTHORIZATION_PATH, respond: choose },
  ];
  return { routes, redeem };
};
