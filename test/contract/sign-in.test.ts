import { describe, expect, it } from 'vitest';
import { authorizationUrl, signInParameterProblem, signInParametersOf } from '#contract/sign-in.ts';

const attempt = { redirectUri: 'https://directory.example/sign-in', state: 'S', codeChallenge: 'C' };

const requestTo = (endpoint: string, query = '') => {
  const settings = { issuer: 'https://id.example', client_id: 'pages', ...signInParametersOf(query) };
  const { origin, pathname, searchParams } = authorizationUrl(
    { ...settings, authorization_endpoint: endpoint, token_endpoint: null, end_session_endpoint: null },
    endpoint,
    attempt,
  );
  return { address: `${origin}${pathname}`, parameters: [...searchParams].sort() };
};

const OWN = [
  ['client_id', 'pages'],
  ['code_challenge', 'C'],
  ['code_challenge_method', 'S256'],
  ['redirect_uri', 'https://directory.example/sign-in'],
  ['response_type', 'code'],
  ['scope', 'openid email profile'],
  ['state', 'S'],
];

const withOthers = (...others: string[][]) => [...OWN, ...others].sort();

describe('an authorization request', () => {
  it('has the parameters of the code flow with PKCE', () => {
    expect(requestTo('https://id.example/authorize')).toEqual({
      address: 'https://id.example/authorize',
      parameters: OWN,
    });
  });

  it('keeps the query of the endpoint', () => {
    const { parameters } = requestTo('https://id.example/authorize?p=b2c_1_signin&tenant=a%20b&tenant=c');
    expect(parameters).toEqual(withOthers(['p', 'b2c_1_signin'], ['tenant', 'a b'], ['tenant', 'c']));
  });

  it('sends no parameter of its own twice', () => {
    const { parameters } = requestTo('https://id.example/authorize?client_id=other&state=other');
    expect(parameters).toEqual(OWN);
  });

  it('has the parameters of the settings, once for each value, unless the endpoint has them', () => {
    const query = 'audience=https%3A%2F%2Fapi.example&resource=https://a.example&resource=https://b.example&p=other';
    expect(requestTo('https://id.example/authorize?p=b2c_1_signin', query).parameters).toEqual(
      withOthers(
        ['p', 'b2c_1_signin'],
        ['audience', 'https://api.example'],
        ['resource', 'https://a.example'],
        ['resource', 'https://b.example'],
      ),
    );
  });

  it('adds scopes to those of every sign-in and of the endpoint', () => {
    const endpoint = 'https://id.example/authorize?scope=api%20openid';
    const { parameters } = requestTo(endpoint, 'scope=orders%20openid&scope=invoices');
    expect(Object.fromEntries(parameters).scope).toBe('openid email profile orders invoices api');
  });

  it('can have a parameter with any name', () => {
    const { parameters } = requestTo('https://id.example/authorize', '__proto__=1&constructor=2');
    expect(parameters).toEqual(withOthers(['__proto__', '1'], ['constructor', '2']));
  });

  it('needs an endpoint', () => {
    const settings = { issuer: '', client_id: null, ...signInParametersOf('') };
    const addresses = { authorization_endpoint: null, token_endpoint: null, end_session_endpoint: null };
    expect(() => authorizationUrl({ ...settings, ...addresses }, undefined, attempt)).toThrow(
      'The issuer names no authorization endpoint.',
    );
  });
});

it.each(['', 'audience=orders', 'prompt=login&max_age=0', 'scope=orders', 'lang=de&identity_provider=Google'])(
  'a setting can add %s',
  (query) => expect(signInParameterProblem(query)).toBeUndefined(),
);

it.each([
  ['client_id=other', 'must not contain client_id, which the service sets itself'],
  ['prompt=login&response_mode=form_post', 'must not contain response_mode, which the service sets itself'],
  ['nonce=1', 'must not contain nonce, which the service sets itself'],
  ['request=e30.e30.', 'must not contain request, which the service sets itself'],
  ['request_uri=urn:1', 'must not contain request_uri, which the service sets itself'],
  ['dpop_jkt=1', 'must not contain dpop_jkt, which the service sets itself'],
  ['audience=50%', 'must be parameters of a query, such as audience=orders&prompt=login'],
  ['audience=caf%E9', 'must be parameters of a query, such as audience=orders&prompt=login'],
  ['https://id.example/?audience=orders', 'must be parameters of a query, such as audience=orders&prompt=login'],
  ['audience', 'must be parameters of a query, such as audience=orders&prompt=login'],
  ['=orders', 'must be parameters of a query, such as audience=orders&prompt=login'],
  ['{"audience":"orders"}', 'must be parameters of a query, such as audience=orders&prompt=login'],
])('a setting cannot add %s', (query, problem) => expect(signInParameterProblem(query)).toBe(problem));
