import { Rows3 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { User } from '#contract/users.ts';
import { Button } from '../components/button.tsx';
import { Checkbox, SelectField } from '../components/fields.tsx';
import { later } from '../components/lazy.tsx';
import { Menu } from '../components/menu.tsx';
import * as strings from '../strings.ts';
import { connection, unsent } from './connection.ts';
import { type Keys, useKeys } from './keys.tsx';
import { hrefOf, type PageEntry } from './pages.ts';
import { hasShortcuts, showsImages, theme, themes } from './preferences.ts';
import { QueryErrorBanner } from './query-error-banner.tsx';
import { signOut } from './session.ts';
import { useStore } from './store.ts';
import { Toasts, undoLatest } from './toasts.tsx';
import { leave, UnsavedQuestion } from './unsaved.tsx';
import { WaitingCount } from './waiting-count.tsx';
import { work } from './work.ts';

/** Whether the service is unreachable, or has asked to wait. */
const ConnectionBanner = () => {
  const { isOffline, waitsUntil } = useStore(connection);
  const waiting = useStore(unsent);
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    if (waitsUntil === undefined) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [waitsUntil]);
  if (!isOffline && waitsUntil === undefined) return null;
  return (
    <div className="banner" role="status">
      {isOffline
        ? `${strings.states.offline} ${strings.states.unsent(waiting)}`
        : strings.states.waiting(Math.max(1, Math.ceil(((waitsUntil ?? now) - now) / 1000)))}
    </div>
  );
};

const NavLink = ({ page, isCurrent }: { readonly page: PageEntry; readonly isCurrent: boolean }) => (
  <li>
    <Link href={hrefOf(page)} className="nav-link" aria-current={isCurrent ? 'page' : undefined}>
      <page.icon size={16} aria-hidden />
      {page.title}
      <WaitingCount path={page.path} />
    </Link>
  </li>
);

const Brand = () => (
  <span className="brand">
    <Rows3 size={18} aria-hidden />
    {strings.product}
  </span>
);

/** What this browser remembers about the look and the keys. */
const Display = () => (
  <Menu label={strings.shell.display}>
    <SelectField
      name="theme"
      label={strings.shell.theme}
      value={useStore(theme)}
      options={themes.map((one) => [one, strings.shell.themes[one]])}
      onChange={(value) => theme.set(value)}
    />
    <Checkbox
      label={strings.shell.images}
      isChecked={useStore(showsImages)}
      onChange={(isOn) => showsImages.set(isOn)}
    />
    <Checkbox
      label={strings.shell.shortcutsOn}
      isChecked={useStore(hasShortcuts)}
      onChange={(isOn) => hasShortcuts.set(isOn)}
    />
  </Menu>
);

const Palette = later(async () => (await import('./palette.tsx')).Palette, null);
const Tray = later(async () => (await import('./tray.tsx')).Tray, null);
const Shortcuts = later(async () => (await import('./shortcuts.tsx')).Shortcuts, null);

/** The frame of every page: navigation, connection, toasts, palette and shortcuts. */
export const Shell = ({
  pages,
  current,
  user,
  children,
}: {
  readonly pages: readonly PageEntry[];
  readonly current: PageEntry | undefined;
  readonly user: User;
  readonly children: ReactNode;
}) => {
  const [path, navigate] = useLocation();
  const [dialog, setDialog] = useState<'palette' | 'shortcuts'>();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const hasWork = useStore(work).length > 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path closes the menu.
  useEffect(() => setMenuOpen(false), [path]);
  const keys: Keys = {
    '$mod+k': { label: strings.shell.showPalette, run: () => setDialog('palette') },
    '$mod+Enter': { label: strings.shell.submit, run: () => undefined },
    '?': { label: strings.shell.showShortcuts, run: () => setDialog('shortcuts') },
    z: { label: strings.shell.undo, run: () => void undoLatest() },
    '/': {
      label: strings.fields.search,
      run: () => {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (search) search.focus();
        else setDialog('palette');
      },
    },
    ...Object.fromEntries(
      pages.map((page) => [
        `g ${page.shortcut}`,
        { label: strings.shell.goTo(page.title), run: () => navigate(hrefOf(page)) },
      ]),
    ),
  };
  useKeys(keys, 'everywhere');
  const groups = [...new Set(pages.map(({ group }) => group))];
  return (
    <>
      <a className="skip-link" href="#content">
        {strings.shell.skip}
      </a>
      <div className="shell">
        <header className="frame">
          <div className="topbar">
            <Button
              kind="quiet"
              icon="menu"
              label={strings.shell.menu}
              isPressed={isMenuOpen}
              onClick={() => setMenuOpen(!isMenuOpen)}
            />
            <WaitingCount path="/queue" />
            <Brand />
            <span className="push">
              <Button
                kind="quiet"
                icon="search"
                label={strings.shell.showPalette}
                onClick={() => setDialog('palette')}
              />
            </span>
          </div>
          <div className="sidebar" data-open={isMenuOpen}>
            <Brand />
            <nav aria-label={strings.shell.navigation}>
              {groups.map((group) => (
                <div key={group} className="nav-group">
                  <p id={`group-${group}`} className="nav-title">
                    {strings.shell.groups[group]}
                  </p>
                  <ul aria-labelledby={`group-${group}`}>
                    {pages
                      .filter((page) => page.group === group)
                      .map((page) => (
                        <NavLink key={page.path} page={page} isCurrent={page === current} />
                      ))}
                  </ul>
                </div>
              ))}
            </nav>
            <div className="sidebar-foot">
              <Display />
              <p className="small truncate" title={user.email ?? user.id}>
                {user.name ?? user.email ?? user.id} <span className="soft">· {strings.shell.roles[user.role]}</span>
              </p>
              <div className="row">
                <Button kind="quiet" onClick={() => leave(() => void signOut())}>
                  {strings.actions.signOut}
                </Button>
                <span className="push">
                  <Button kind="quiet" label={strings.shell.shortcuts} onClick={() => setDialog('shortcuts')}>
                    ?
                  </Button>
                </span>
              </div>
            </div>
          </div>
        </header>
        <main className="main" id="content" tabIndex={-1}>
          <ConnectionBanner />
          <QueryErrorBanner />
          <div className="page">{children}</div>
        </main>
      </div>
      <Toasts>{hasWork && <Tray />}</Toasts>
      <UnsavedQuestion />
      {dialog === 'palette' && <Palette pages={pages} onClose={() => setDialog(undefined)} />}
      {dialog === 'shortcuts' && <Shortcuts onClose={() => setDialog(undefined)} />}
    </>
  );
};
