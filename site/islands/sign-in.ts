// Signs in with an authorization code and PKCE, and returns to the page that the visitor came from.

import {
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import type { SiteSettings } from '#contract/settings.ts';
import { authorizationUrl } from '#contract/sign-in.ts';
import { baseUrl, homeUrl, RequestError } from '../browser/api.ts';
import { serverOf } from '../browser/issuer.ts';
import { problemText, t } from '../browser/messages.ts';
import { localAddress } from '../browser/return-to.ts';
import { beginSession, currentUser } from '../browser/session.ts';
import { stored } from '../browser/storage.ts';
import { stopWaiting } from '../waiting.ts';

type SignIn = SiteSettings['sign_in'];

interface Pending {
  readonly verifier: string;
  readonly state: string;
  readonly returnTo: string;
}

const pending = stored('sessionStorage', 'site-sign-in');
const parameters = new URLSearchParams(location.search);

const find = <E extends Element>(selector: string): E => {
  const element = document.querySelector<E>(selector);
  if (!element) throw new Error(`The page has no ${selector}.`);
  return element;
};

const area = find<HTMLElement>('[data-sign-in-area]');
const buttons = [...area.querySelectorAll<HTMLButtonElement>('button[data-sign-in]')];
const alert = find<HTMLElement>('[data-alert]');
const status = find<HTMLElement>('[data-status]');
const settings = JSON.parse(area.dataset.signInArea ?? '{}') as SignIn;
const client = { client_id: settings.client_id ?? '' };
/** Where the issuer returns: this page without its query, as it is registered there. */
const redirectUri = `${location.origin}${location.pathname.replace(/\/$/, '')}`;

const enableButtons = (): void => {
  stopWaiting(area);
  for (const button of buttons) button.disabled = false;
};

const showProblem = (text: string): void => {
  status.textContent = '';
  alert.textContent = text;
  alert.hidden = false;
  enableButtons();
};

/** The local issuer's page has the same buttons as this one: its form is sent in their place. */
const sendLocally = (action: URL, as: string): void => {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = action.href;
  const field = document.createElement('input');
  field.type = 'hidden';
  field.name = 'as';
  field.value = as;
  form.append(field);
  document.body.append(form);
  form.submit();
};

/** Goes to the issuer. @param as the kind of user at the local issuer. */
const start = async (as: string | undefined): Promise<void> => {
  const verifier = generateRandomCodeVerifier();
  const state = generateRandomState();
  pending.write(
    JSON.stringify({ verifier, state, returnTo: parameters.get('return_to') ?? document.referrer } satisfies Pending),
  );
  const attempt = { redirectUri, state, codeChallenge: await calculatePKCECodeChallenge(verifier) };
  if (as !== undefined) {
    sendLocally(authorizationUrl(settings, `${location.origin}/_local/authorize`, attempt), as);
    return;
  }
  location.assign(authorizationUrl(settings, (await serverOf(settings)).authorization_endpoint, attempt));
};

const leaveTo = (returnTo: string): void => location.replace(localAddress(returnTo, homeUrl, baseUrl, location.origin));

const finish = async (): Promise<void> => {
  const text = pending.read();
  pending.remove();
  const { verifier, state, returnTo } = JSON.parse(text ?? '{}') as Partial<Pending>;
  // What the issuer sent is used once: a reload or the history must not repeat it.
  const query = new URLSearchParams(returnTo ? { return_to: returnTo } : {});
  history.replaceState(null, '', query.size > 0 ? `?${query.toString()}` : location.pathname);
  parameters.set('return_to', returnTo ?? '');
  if (verifier === undefined || state === undefined) return showProblem(t('signIn.notStarted'));
  if (parameters.get('error') === 'access_denied' && parameters.get('state') === state)
    return showProblem(t('signIn.denied'));
  const sent = new URLSearchParams(parameters);
  sent.delete('return_to');
  let code: string;
  try {
    code = validateAuthResponse({ issuer: settings.issuer }, client, sent, state).get('code') ?? '';
  } catch {
    return showProblem(t('signIn.refused'));
  }
  for (const button of buttons) button.disabled = true;
  status.textContent = t('signIn.running');
  try {
    await beginSession({ code, code_verifier: verifier, redirect_uri: redirectUri });
  } catch (error) {
    const isRefused = error instanceof RequestError && error.status === 401;
    return showProblem(isRefused ? t('signIn.refused') : problemText(error));
  }
  leaveTo(returnTo ?? '');
};

for (const button of buttons) {
  button.addEventListener('click', () => {
    alert.hidden = true;
    for (const one of buttons) one.disabled = true;
    status.textContent = t('signIn.running');
    start(button.dataset.signIn || undefined).catch(() => showProblem(t('signIn.unavailable')));
  });
}

const showUser = async (): Promise<void> => {
  const user = await currentUser().catch(() => null);
  if (!user) return;
  const already = find<HTMLElement>('[data-signed-in]');
  find<HTMLElement>('[data-signed-in-text]').textContent = t('signIn.already', { name: user.name ?? user.email ?? '' });
  find<HTMLAnchorElement>('[data-continue]').href = localAddress(
    parameters.get('return_to') ?? document.referrer,
    homeUrl,
    baseUrl,
    location.origin,
  );
  already.hidden = false;
};

// A page from the cache of the browser has the buttons as they were left.
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted) location.reload();
});

if (parameters.has('code') || parameters.has('error')) void finish();
else {
  stopWaiting(area);
  void showUser();
}
