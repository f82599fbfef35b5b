import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider } from 'oidc-provider';

/** The audience of the access tokens. */
export const AUDIENCE = 'https://directory.example/api';
export const CLIENT_ID = 'console';

/** An independent OpenID Connect provider on this machine, whose users are the addresses that sign in. */
export interface Issuer {
  readonly url: string;
  /** The number of tokens that were revoked. */
  readonly revoked: () => number;
  /** The kinds of the grants since the start. */
  readonly grants: readonly string[];
  /** The queries of the authorization requests since the start. */
  readonly requests: readonly string[];
  /** Registers the console of a service as a public client. */
  register(serviceUrl: string): Promise<void>;
  stop(): void;
}

const configurationFor = async (serviceUrl: string) => ({
  clients: [
    {
      client_id: CLIENT_ID,
      token_endpoint_auth_method: 'none',
      response_types: ['code'],
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${serviceUrl}/console/callback`, `${serviceUrl}/sign-in`],
      post_logout_redirect_uris: [`${serviceUrl}/`, `${serviceUrl}/console`, `${serviceUrl}/docs`],
    },
  ],
  jwks: {
    keys: [{ ...(await exportJWK((await generateKeyPair('RS256', { extractable: true })).privateKey)), alg: 'RS256' }],
  },
  cookies: { keys: ['a key of the tests'] },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
  extraTokenClaims: (_: unknown, { accountId }: { accountId: string }) => ({
    email: accountId,
    email_verified: true,
    name: accountId.split('@')[0],
  }),
  clientBasedCORS: (_: unknown, origin: string) => origin === serviceUrl,
  issueRefreshToken: () => true,
  features: {
    revocation: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => AUDIENCE,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope: '', audience: AUDIENCE, accessTokenFormat: 'jwt' }),
    },
  },
});

/** The query of the authorization endpoint, as with issuers that name a policy or a tenant there. */
export const ENDPOINT_QUERY = 'p=b2c_1_signin';

/** Starts the issuer. It answers once a client is registered. */
export const startIssuer = async (): Promise<Issuer> => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const grants: string[] = [];
  const requests: string[] = [];
  let revoked = 0;
  return {
    url,
    grants,
    requests,
    revoked: () => revoked,
    register: async (serviceUrl) => {
      const provider = new Provider(url, await configurationFor(serviceUrl));
      provider.on('grant.success', ({ oidc }) => grants.push(oidc.params.grant_type));
      provider.on('refresh_token.destroyed', () => {
        revoked += 1;
      });
      provider.use(async (context, next) => {
        if (context.path === '/auth') requests.push(context.querystring);
        await next();
        const { authorization_endpoint } = (context.body ?? {}) as { authorization_endpoint?: string };
        if (authorization_endpoint !== undefined) {
          context.body = { ...context.body, authorization_endpoint: `${authorization_endpoint}?${ENDPOINT_QUERY}` };
        }
      });
      server.on('request', provider.callback());
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
