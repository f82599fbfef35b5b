import type { AuthorizationServer } from 'oauth4webapi';
import type { SiteSettings } from '#contract/settings.ts';
import { authorizationUrl } from '#contract/sign-in.ts';
import type { User } from '#contract/users.ts';
import * as strings from '../strings.ts';
import { apiUrl, callbackUrl, consolePath, homePath } from './location.ts';
import { responseCache } from './response-cache.ts';
import { Store } from './store.ts';

/** Who is signed in. Tokens are kept in memory only. */
export type Session =
  | { readonly state: 'starting' }
  | { readonly state: 'signed-out'; readonly message: string | undefined }
  | { readonly state: 'signed-in'; readonly user: User; readonly expired: boolean };

export const session = new Store<Session>({ state: 'starting' });

export const localRoles = ['administrator', 'moderator', 'user'] as const;
export type LocalRole = (typeof localRoles)[number];

type SignIn = SiteSettings['sign_in'];

interface Tokens {
  readonly access: string;
  readonly refresh: string | undefined;
}

let settings: SiteSettings | undefined;
let tokens: Tokens | undefined;
let renewal: ReturnType<typeof setTimeout> | undefined;
/** Requests that were refused wait for the next sign-in. */
let waiting: PromiseWithResolvers<void> | undefined;

export const accessToken = (): string | undefined => tokens?.access;

/** The id of the signed-in user; undefined when no user is signed in. */
export const userId = (): string | undefined =>
  session.value.state === 'signed-in' ? session.value.user.id : undefined;

const forgetting = new Set<() => void>();

/** Runs when the user changes or signs out. Cached data and undo actions of the previous user are discarded. */
export const onUserEnd = (forget: () => void): void => void forgetting.add(forget);

const endUser = (): void => {
  responseCache.clear();
  for (const forget of forgetting) forget();
  // Whether the tab is signed in is all that outlives a user. What is forgotten may have been stored once more.
  for (const name of Object.keys(sessionStorage))
    if (name !== MEMORY && name !== PENDING) sessionStorage.removeItem(name);
};

/** The public settings, read before the first sign-in. */
export const siteSettings = (): SiteSettings => {
  if (!settings) throw new Error('The settings were not read.');
  return settings;
};

export type Feature = SiteSettings['features'][number];

/** Whether a feature of the service is on; absent counts as on. */
export const isOn = (feature: Feature | undefined): boolean =>
  feature === undefined || siteSettings().features.includes(feature);

/**
 * Whether the issuer is the local one, which signs a token for any name. It always names itself `localhost` and its own port;
 * the page may be at another loopback address, or at another port in front.
 */
export const isLocal = (): boolean => /^http:\/\/localhost:\d+\/_local$/.test(settings?.sign_in.issuer ?? '');

/** Only the fact that this tab was signed in is stored, to sign in again after a reload. */
const MEMORY = 'console.signed-in';
const PENDING = 'console.sign-in';
/** The callback in another window passes its parameters on. */
const channel = new BroadcastChannel('console.sign-in');
/** Begins the `state` of a sign-in in another window: pages of an issuer can separate that window from this one. */
const OTHER_WINDOW = 'window.';

/** The issuer returns to the console. The other applications stay open meanwhile. */
const isConsole = homePath === consolePath;

const authenticated = async (path: string): Promise<Response> =>
  await fetch(`${apiUrl}${path}`, { headers: { authorization: `Bearer ${tokens?.access}` }, cache: 'no-store' });

/** Begins the session of a token, and lets the waiting requests continue. */
const begin = async (next: Tokens, expiresInSeconds: number | undefined, memory: string): Promise<void> => {
  tokens = next;
  const response = await authenticated('/api/user/profile');
  if (!response.ok) throw new Error(((await response.json()) as { error: string }).error);
  const { data } = (await response.json()) as { data: User };
  sessionStorage.setItem(MEMORY, memory);
  clearTimeout(renewal);
  if (expiresInSeconds !== undefined && next.refresh !== undefined) {
    renewal = setTimeout(() => void renew(), Math.max(10, expiresInSeconds - 60) * 1000);
  }
  const before = userId();
  session.set({ state: 'signed-in', user: data, expired: false });
  if (before !== undefined && before !== data.id) endUser();
  waiting?.resolve();
  waiting = undefined;
};

const LOCAL_USERS = {
  administrator: { email: 'administrator@example.com', name: 'Administrator', role: 'admin' },
  moderator: { email: 'moderator@example.com', name: 'Moderator', role: 'moderator' },
  user: { email: 'user@example.com', name: 'User', role: 'user' },
} as const satisfies Record<LocalRole, object>;

/** Signs in at the local issuer. @throws {Error} with its message. */
export const signInLocally = async (role: LocalRole): Promise<void> => {
  const response = await fetch(`${apiUrl}/_local/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(LOCAL_USERS[role]),
  });
  const body = (await response.json()) as { access_token?: string; error?: string };
  if (body.access_token === undefined) throw new Error(body.error);
  await begin({ access: body.access_token, refresh: undefined }, undefined, role);
};

const loadOauth = () => import('oauth4webapi');

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** An issuer on this machine may use http. */
const requestOptions = async ({ issuer }: SignIn) => {
  const { allowInsecureRequests } = await loadOauth();
  return { [allowInsecureRequests]: LOOPBACK.includes(new URL(issuer).hostname) };
};

const serverOf = async (signInSettings: SignIn): Promise<AuthorizationServer> => {
  const { issuer, authorization_endpoint, token_endpoint, end_session_endpoint } = signInSettings;
  const { discoveryRequest, processDiscoveryResponse } = await loadOauth();
  if (authorization_endpoint && token_endpoint) {
    return {
      issuer,
      authorization_endpoint,
      token_endpoint,
      ...(end_session_endpoint && { end_session_endpoint }),
    };
  }
  const url = new URL(issuer);
  return await processDiscoveryResponse(url, await discoveryRequest(url, await requestOptions(signInSettings)));
};

const clientOf = ({ client_id }: SignIn) => ({ client_id: client_id ?? '' });

interface PendingSignIn {
  readonly verifier: string;
  readonly state: string;
  readonly returnTo: string;
}

const pendingSignIn = (): PendingSignIn | undefined => {
  const text = sessionStorage.getItem(PENDING);
  return text === null ? undefined : (JSON.parse(text) as PendingSignIn);
};

/** The URL of the issuer's page; what has to be verified later is kept in this tab. */
const startAtIssuer = async (inOtherWindow: boolean): Promise<URL> => {
  const { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } = await loadOauth();
  const { sign_in } = siteSettings();
  const server = await serverOf(sign_in);
  const verifier = generateRandomCodeVerifier();
  const state = `${inOtherWindow ? OTHER_WINDOW : ''}${generateRandomState()}`;
  const returnTo = location.pathname === `${consolePath}/callback` ? consolePath : location.pathname + location.search;
  sessionStorage.setItem(PENDING, JSON.stringify({ verifier, state, returnTo } satisfies PendingSignIn));
  const codeChallenge = await calculatePKCECodeChallenge(verifier);
  return authorizationUrl(sign_in, server.authorization_endpoint, { redirectUri: callbackUrl, state, codeChallenge });
};

/**
 * Signs in at the issuer: in another window while a page is open, so that nothing on it is lost.
 * @throws {Error} when the browser permits no other window and the issuer does not return to this application.
 */
export const signIn = async (): Promise<void> => {
  const isOpen = session.value.state === 'signed-in' || !isConsole;
  const popup = isOpen ? window.open('about:blank', 'console-sign-in', 'width=480,height=680') : null;
  if (!popup && !isConsole) throw new Error(strings.signIn.blocked);
  const url = await startAtIssuer(popup !== null);
  if (popup) popup.location.href = url.href;
  else location.assign(url);
};

/** Exchanges the code that the issuer returned. @throws {Error} when the issuer refused or the answer is not for this tab. */
const finishSignIn = async (parameters: URLSearchParams): Promise<string> => {
  const pending = pendingSignIn();
  if (!pending) throw new Error('No sign-in was started in this tab.');
  sessionStorage.removeItem(PENDING);
  const { authorizationCodeGrantRequest, None, processAuthorizationCodeResponse, validateAuthResponse } =
    await loadOauth();
  const { sign_in } = siteSettings();
  const [server, client, options] = [await serverOf(sign_in), clientOf(sign_in), await requestOptions(sign_in)];
  const valid = validateAuthResponse(server, client, parameters, pending.state);
  const response = await authorizationCodeGrantRequest(
    server,
    client,
    None(),
    valid,
    callbackUrl,
    pending.verifier,
    options,
  );
  const result = await processAuthorizationCodeResponse(server, client, response);
  await begin({ access: result.access_token, refresh: result.refresh_token }, result.expires_in, 'issuer');
  return pending.returnTo;
};

/** Gets a new token before the old one expires. A failure shows at the next request. */
const renew = async (): Promise<boolean> => {
  const memory = sessionStorage.getItem(MEMORY);
  try {
    if (isLocal()) {
      const role = localRoles.find((one) => one === memory);
      if (!role) return false;
      await signInLocally(role);
      return true;
    }
    if (tokens?.refresh === undefined) return false;
    const { None, processRefreshTokenResponse, refreshTokenGrantRequest } = await loadOauth();
    const { sign_in } = siteSettings();
    const [server, client, options] = [await serverOf(sign_in), clientOf(sign_in), await requestOptions(sign_in)];
    const response = await refreshTokenGrantRequest(server, client, None(), tokens.refresh, options);
    const result = await processRefreshTokenResponse(server, client, response);
    const refresh = result.refresh_token ?? tokens.refresh;
    await begin({ access: result.access_token, refresh }, result.expires_in, 'issuer');
    return true;
  } catch {
    return false;
  }
};

let check: Promise<boolean> | undefined;

/** Whether the service takes the token no longer. A 403 does not say it: routes for staff answer it to expired tokens, too. */
export const isTokenRefused = async (): Promise<boolean> => {
  if (waiting) return true;
  check ??= authenticated('/api/user/profile')
    .then(
      ({ status }) => status === 401,
      // The 403 stands when the question gets no answer.
      () => false,
    )
    .finally(() => {
      check = undefined;
    });
  return await check;
};

/** Resolves after the next sign-in: silently where the issuer permits it, else a dialog asks while the page stays. */
export const askToSignIn = async (): Promise<void> => {
  if (waiting) return await waiting.promise;
  const mine = Promise.withResolvers<void>();
  waiting = mine;
  if (!isLocal() && (await renew())) return;
  const current = session.value;
  if (current.state === 'signed-in') session.set({ ...current, expired: true });
  await mine.promise;
};

channel.addEventListener('message', ({ data }: MessageEvent<string>) => {
  const parameters = new URLSearchParams(data);
  // Other tabs receive the message too.
  if (parameters.get('state') !== pendingSignIn()?.state) return;
  finishSignIn(parameters).catch((error: Error) => {
    if (session.value.state !== 'signed-in') session.set({ state: 'signed-out', message: error.message });
  });
});

/** Where the issuer ends its own session and returns from; `homePath` of an issuer without such a URL. */
const endOfSession = ({ end_session_endpoint }: AuthorizationServer): URL | string => {
  if (!end_session_endpoint) return homePath;
  const url = new URL(end_session_endpoint);
  url.searchParams.set('client_id', clientOf(siteSettings().sign_in).client_id);
  // Cognito's name of the parameter, and that of OpenID Connect.
  url.searchParams.set('logout_uri', `${location.origin}${homePath}`);
  url.searchParams.set('post_logout_redirect_uri', `${location.origin}${homePath}`);
  return url;
};

/** Tells the issuer that a refresh token is not used any more, where it offers that. */
const revoke = async (token: string, { revocation_endpoint }: AuthorizationServer): Promise<void> => {
  if (!revocation_endpoint) return;
  const { client_id } = clientOf(siteSettings().sign_in);
  await fetch(revocation_endpoint, {
    method: 'POST',
    body: new URLSearchParams({ token, token_type_hint: 'refresh_token', client_id }),
  });
};

/** Ends what the issuer keeps. @returns where to go on. */
const endAtIssuer = async (refresh: string | undefined): Promise<URL | string> => {
  const server = await serverOf(siteSettings().sign_in);
  if (refresh !== undefined) await revoke(refresh, server);
  return endOfSession(server);
};

/**
 * Removes everything that belongs to the session, and then loads the application again, by way of the issuer when it can be
 * reached. Otherwise a refresh token ends by itself; nothing has it any more.
 */
export const signOut = async (): Promise<void> => {
  const refresh = tokens?.refresh;
  clearTimeout(renewal);
  sessionStorage.removeItem(MEMORY);
  sessionStorage.removeItem(PENDING);
  tokens = undefined;
  waiting = undefined;
  session.set({ state: 'signed-out', message: undefined });
  endUser();
  const target = isLocal() ? homePath : await endAtIssuer(refresh).catch(() => homePath);
  if (tokens === undefined) location.assign(target);
};

// A page from the cache of the browser shows what it did when it was left.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && tokens === undefined && isConsole) location.reload();
});

const readSettings = async (): Promise<SiteSettings> => {
  const response = await fetch(`${apiUrl}/api/settings`, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`The settings answer ${response.status}.`);
  return ((await response.json()) as { data: SiteSettings }).data;
};

/** Reads the settings, finishes a sign-in that returns here, or signs in again after a reload where no window is needed. */
export const startSession = async (): Promise<void> => {
  settings = await readSettings();
  const signedOut = (message?: string) => session.set({ state: 'signed-out', message });
  if (location.pathname === `${consolePath}/callback`) {
    if (new URLSearchParams(location.search).get('state')?.startsWith(OTHER_WINDOW)) {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel reaches its own origin only
      channel.postMessage(location.search);
      history.replaceState(null, '', consolePath);
      window.close();
      // Seen where the browser does not permit to close it.
      signedOut(strings.signIn.elsewhere);
      return;
    }
    try {
      history.replaceState(null, '', await finishSignIn(new URLSearchParams(location.search)));
    } catch (error) {
      history.replaceState(null, '', consolePath);
      signedOut((error as Error).message);
    }
    return;
  }
  const memory = sessionStorage.getItem(MEMORY);
  if (memory === null) return signedOut();
  if (isLocal()) {
    if (!(await renew())) signedOut();
    return;
  }
  if (!isConsole) return signedOut();
  // The issuer's own session answers without a question; its page asks when it has ended.
  sessionStorage.removeItem(MEMORY);
  location.assign(await startAtIssuer(false));
};
