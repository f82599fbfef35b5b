// What every page has: the choice between light, dark and the system's colours, and who is signed in.

import { currentUser, endSession, leave, mayHaveSession, signInUrl } from '../browser/session.ts';
import { stopWaiting } from '../waiting.ts';

const KEY = 'site-theme';
const THEMES = ['system', 'light', 'dark'] as const;
const root = document.documentElement;
const current = (): (typeof THEMES)[number] => THEMES.find((one) => one === root.dataset.theme) ?? 'system';

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-theme-toggle]')) {
  const labels = JSON.parse(button.dataset.themeToggle || '{}') as Partial<Record<string, string>>;
  const show = (): void => {
    const label = labels[current()] ?? current();
    button.setAttribute('aria-label', label);
    button.title = label;
  };
  button.hidden = false;
  show();
  button.addEventListener('click', () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? 'system';
    if (next === 'system') delete root.dataset.theme;
    else root.dataset.theme = next;
    try {
      if (next === 'system') localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, next);
    } catch {
      // Without storage the choice lasts until the next page.
    }
    show();
  });
}

/** Has an address refreshed before it is used: the page may have changed its own. */
const keepFresh = (link: HTMLAnchorElement, refresh: () => void): void => {
  refresh();
  link.addEventListener('pointerdown', refresh);
  link.addEventListener('click', refresh);
};

// The page in another language is shown as this one is.
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-language]')) {
  keepFresh(link, () => {
    link.search = location.search;
    link.hash = location.hash;
  });
}

const isSignInPage = document.querySelector('[data-sign-in-area]') !== null;
// Until the page knows the user; a link keeps what is open on the page.
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-sign-in-link]')) {
  if (isSignInPage) continue;
  keepFresh(link, () => {
    link.href = signInUrl();
  });
}

const showAccount = async (account: HTMLDetailsElement): Promise<void> => {
  const user = await currentUser();
  if (!user) return;
  const name = user.name ?? user.email ?? '';
  for (const element of account.querySelectorAll('[data-user-name]')) element.textContent = name;
  const initial = account.querySelector('[data-user-initial]');
  if (initial) initial.textContent = [...name][0]?.toUpperCase() ?? '';
  for (const element of account.querySelectorAll<HTMLElement>('[data-staff]')) element.hidden = user.role === 'user';
};

for (const account of document.querySelectorAll<HTMLDetailsElement>('details[data-account]')) {
  // The header stays as it is while the service cannot say who is signed in.
  showAccount(account).catch(() => undefined);
  account.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape' || !account.open) return;
    account.open = false;
    account.querySelector('summary')?.focus();
  });
  document.addEventListener('click', ({ target }) => {
    if (!account.contains(target as Node)) account.open = false;
  });
  const signOut = account.querySelector<HTMLButtonElement>('[data-sign-out]');
  const failure = account.querySelector<HTMLElement>('[data-sign-out-failed]');
  signOut?.addEventListener('click', () => {
    signOut.disabled = true;
    if (failure) failure.hidden = true;
    endSession().then(leave, () => {
      signOut.disabled = false;
      if (failure) failure.hidden = false;
    });
  });
}

// Those of the header only: other islands have controls of their own.
stopWaiting(document.querySelector('.site-header'));

// A page from the cache of the browser may show what belongs to a session that has ended.
const hadSession = mayHaveSession();
window.addEventListener('pageshow', ({ persisted }) => {
  if (persisted && mayHaveSession() !== hadSession) location.reload();
});
