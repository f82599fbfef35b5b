import type { SiteSettings } from './settings.ts';

/** The scopes that every sign-in requests: those with the claims of a user. */
const SCOPES = 'openid email profile';

/** All scopes of several lists, each once. */
const scopesOf = (lists: readonly string[]): string => [...new Set(lists.join(' ').match(/\S+/g))].join(' ');

/**
 * Parameters of the authorization request that this service decides on. A `response_mode` other than the default would return the
 * code where the pages do not look, a `nonce` would have to be new each time, a request object would replace all others, and
 * the key of `dpop_jkt` would have to be that of the pages.
 */
const ownParameters: ReadonlySet<string> = new Set([
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'code_challenge',
  'code_challenge_method',
  'state',
  'nonce',
  'dpop_jkt',
  'request',
  'request_uri',
]);

const SYNTAX = 'must be parameters of a query, such as audience=orders&prompt=login';

/** A percent sign that escapes nothing. */
const STRAY_PERCENT = /%(?![\da-f]{2})/i;

/** What is wrong with the parameters that a setting adds, as the end of a sentence; undefined when they can be sent. */
export const signInParameterProblem = (query: string): string | undefined => {
  if (STRAY_PERCENT.test(query)) return SYNTAX;
  for (const [name, value] of new URLSearchParams(query)) {
    // The characters of names in RFC 6749. What is no UTF-8 is decoded to U+FFFD.
    if (!/^[\w.-]+$/.test(name) || value === '' || value.includes('\ufffd')) return SYNTAX;
    if (ownParameters.has(name)) return `must not contain ${name}, which the service sets itself`;
  }
  return undefined;
};

/**
 * The scopes and the further parameters of authorization requests.
 * @param query what a setting adds: `audience=https%3A%2F%2Fapi.example&scope=orders%20invoices`.
 */
export const signInParametersOf = (query: string): Pick<SiteSettings['sign_in'], 'scope' | 'parameters'> => {
  const values = Map.groupBy(new URLSearchParams(query), ([name]) => name);
  const { scope = [], ...parameters } = Object.fromEntries(
    Array.from(values, ([name, pairs]) => [name, pairs.map(([, value]) => value)]),
  );
  return { scope: scopesOf([SCOPES, ...scope]), parameters };
};

/** What is new in each sign-in. */
interface SignInAttempt {
  readonly redirectUri: string;
  readonly state: string;
  /** The SHA-256 of the code verifier in Base64url. */
  readonly codeChallenge: string;
}

/**
 * The address that a browser signs in at: an authorization request with PKCE.
 * @param endpoint of the settings or of the issuer's discovery document. The parameters in its query stay (RFC 6749, 3.1), also
 * where the settings have one of the same name, because a request has each only once. Scopes are those of both.
 */
export const authorizationUrl = (
  { client_id, scope, parameters }: SiteSettings['sign_in'],
  endpoint: string | undefined,
  { redirectUri, state, codeChallenge }: SignInAttempt,
): URL => {
  if (endpoint === undefined) throw new Error('The issuer names no authorization endpoint.');
  const url = new URL(endpoint);
  for (const [name, values] of Object.entries(parameters)) {
    if (url.searchParams.has(name)) continue;
    for (const value of values) url.searchParams.append(name, value);
  }
  const own = {
    client_id: client_id ?? '',
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: scopesOf([scope, ...url.searchParams.getAll('scope')]),
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    state,
  };
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value);
  return url;
};
