// The issuer of the tokens: where one signs in and out.

import {
  type AuthorizationServer,
  allowInsecureRequests,
  discoveryRequest,
  processDiscoveryResponse,
} from 'oauth4webapi';
import type { SiteSettings } from '#contract/settings.ts';
import { homeUrl, request } from './api.ts';

type SignIn = SiteSettings['sign_in'];

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** The issuer's addresses: of the settings, else of its discovery document. */
export const serverOf = async ({
  issuer,
  authorization_endpoint,
  end_session_endpoint,
}: SignIn): Promise<AuthorizationServer> => {
  if (authorization_endpoint)
    return { issuer, authorization_endpoint, ...(end_session_endpoint && { end_session_endpoint }) };
  const url = new URL(issuer);
  // An issuer on this machine may use http.
  const options = { [allowInsecureRequests]: LOOPBACK.includes(url.hostname) };
  return await processDiscoveryResponse(url, await discoveryRequest(url, options));
};

/** Where the issuer ends its own session and returns from; the home page for an issuer without such an address. */
export const endOfSession = async (): Promise<string> => {
  const { sign_in: settings } = await request<SiteSettings>('GET', '/settings');
  const { end_session_endpoint } = await serverOf(settings);
  if (!end_session_endpoint) return homeUrl;
  const url = new URL(end_session_endpoint);
  const returnTo = `${location.origin}${homeUrl}`;
  url.searchParams.set('client_id', settings.client_id ?? '');
  // Cognito's name of the parameter, and that of OpenID Connect.
  url.searchParams.set('logout_uri', returnTo);
  url.searchParams.set('post_logout_redirect_uri', returnTo);
  return url.href;
};
