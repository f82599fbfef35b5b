// Who is signed in. The cookies of a session are hidden from scripts; a mark says that there may be one.

import type { SessionRequest } from '#contract/session.ts';
import type { User } from '#contract/users.ts';
import { failureOf, homeUrl, pageUrl, renewSession, request, send, withSessionLock } from './api.ts';
import { stored } from './storage.ts';

/** Read by `theme.ts` as well, before the first paint. */
const mark = stored('localStorage', 'site-session');
const root = document.documentElement;

/** Records that a session began or ended, for the next pages. */
export const markSession = (isOn: boolean): void => {
  if (isOn) {
    mark.write('on');
    root.dataset.session = 'on';
  } else {
    mark.remove();
    delete root.dataset.session;
  }
};

/** Whether this browser may have a session: pages ask nothing for the many visitors who never signed in. */
export const mayHaveSession = (): boolean => mark.read() !== null;

const readUser = async (): Promise<User | null> => (await request<{ user: User | null }>('GET', '/session')).user;

const findUser = async (): Promise<User | null> => {
  if (!mayHaveSession()) return null;
  const user = (await readUser()) ?? (await renewSession());
  markSession(user !== null);
  return user;
};

let found: Promise<User | null> | undefined;

/** The signed-in user, read once per page; null without one. May be asked again after a failure. @throws {RequestError} while that cannot be known. */
export const currentUser = (): Promise<User | null> => {
  found ??= findUser().catch((error: unknown) => {
    found = undefined;
    throw error;
  });
  return found;
};

/** This page, with what it shows at present, as the page to return to. */
const here = (): string => location.pathname + location.search + location.hash;

/** The address of the page that signs in and then returns. */
export const signInUrl = (returnTo: string = here()): string =>
  `${pageUrl('/sign-in')}?${new URLSearchParams({ return_to: returnTo }).toString()}`;

/** Begins a session with the code of a sign-in, which is sent once. @throws {RequestError} */
export const beginSession = async (body: SessionRequest): Promise<void> => {
  const response = await withSessionLock((options) => send('POST', '/session', { ...options, body }));
  if (!response.ok) throw await failureOf(response);
  markSession(true);
};

/** Ends the session. @throws {RequestError} */
export const endSession = async (): Promise<void> => {
  const response = await withSessionLock((options) => send('DELETE', '/session', options));
  if (!response.ok) throw await failureOf(response);
  markSession(false);
};

/** Leaves for the home page after the end of a session, by way of the issuer when that keeps one and can be reached. */
export const leave = async (): Promise<void> => {
  const { endOfSession } = await import('./issuer.ts');
  location.assign(await endOfSession().catch(() => homeUrl));
};
