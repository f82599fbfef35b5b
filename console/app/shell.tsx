import { Rows3 } from 'lucide-react';
import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import type { User } from '#contract/users.ts';
import { Button } from '../components/button.tsx';
import { Checkbox } from '../components/fields.tsx';
import * as strings from '../strings.ts';
import { connection } from './connection.ts';
import { type Keys, useKeys } from './keys.tsx';
import { Notices, undoLatest } from './notices.tsx';
import { addressOf, type PageEntry } from './pages.ts';
import { Palette } from './palette.tsx';
import { showsImages } from './preferences.ts';
import { signOut } from './session.ts';
import { Shortcuts } from './shortcuts.tsx';
import { SilentFailures } from './silent-failures.tsx';
import { useStore } from './store.ts';
import { WaitingCount } from './waiting-count.tsx';

/** Whether the service is unreachable, or has asked to wait. */
const ConnectionBanner = () => {
  const { isOffline, waitsUntil } = useStore(connection);
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
        ? strings.states.offline
        : strings.states.waiting(Math.max(1, Math.ceil(((waitsUntil ?? now) - now) / 1000)))}
    </div>
  );
};

const NavLink = ({ page, isCurrent }: { readonly page: PageEntry; readonly isCurrent: boolean }) => (
  <li>
    <Link href={addressOf(page)} className="nav-link" aria-current={isCurrent ? 'page' : undefined}>
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

/** The frame of every page: navigation, connection, notices, palette and shortcuts. */
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new path closes the menu.
  useEffect(() => setMenuOpen(false), [path]);
  const keys: Keys = {
    '$mod+k': { label: strings.shell.showPalette, run: () => setDialog('palette') },
    '?': { label: strings.shell.showShortcuts, run: () => setDialog('shortcuts') },
    z: { label: strings.shell.undo, run: () => void undoLatest() },
    '/': {
      label: strings.fields.search,
      run: () => document.querySelector<HTMLInputElement>('main input[type="search"]')?.focus(),
    },
    ...Object.fromEntries(
      pages.map((page) => [
        `g ${page.shortcut}`,
        { label: strings.shell.goTo(page.title), run: () => navigate(addressOf(page)) },
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
                <ul key={group} className="nav-group">
                  {pages
                    .filter((page) => page.group === group)
                    .map((page) => (
                      <NavLink key={page.path} page={page} isCurrent={page === current} />
                    ))}
                </ul>
              ))}
            </nav>
            <div className="sidebar-foot">
              <Checkbox
                label={<span className="small">{strings.shell.images}</span>}
                isChecked={useStore(showsImages)}
                onChange={(isOn) => showsImages.set(isOn)}
              />
              <p className="small truncate" title={user.email ?? user.id}>
                {user.name ?? user.email ?? user.id} <span className="soft">· {strings.shell.roles[user.role]}</span>
              </p>
              <div className="row">
                <Button kind="quiet" onClick={() => void signOut()}>
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
          <SilentFailures />
          <div className="page">{children}</div>
        </main>
      </div>
      <Notices />
      {dialog === 'palette' && <Palette pages={pages} onClose={() => setDialog(undefined)} />}
      {dialog === 'shortcuts' && <Shortcuts onClose={() => setDialog(undefined)} />}
    </>
  );
};
