import { QueryClientProvider } from '@tanstack/react-query';
import { Component, type ReactNode } from 'react';
import { Link, Router, useLocation } from 'wouter';
import { later, separate } from '../components/lazy.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { EmptyState, Failure, Loading } from '../components/states.tsx';
import * as strings from '../strings.ts';
import { consolePath } from './location.ts';
import { type PageEntry, pages } from './pages.ts';
import { queries } from './queries.ts';
import { isOn, session } from './session.ts';
import { Shell } from './shell.tsx';
import { useStore } from './store.ts';
import { aroundNav } from './unsaved.tsx';

const SignInPage = later(async () => (await import('./sign-in.tsx')).SignInPage, null);
const SignInDialog = later(async () => (await import('./sign-in.tsx')).SignInDialog, null);
const NoRolePage = later(async () => (await import('./sign-in.tsx')).NoRolePage, null);

/** The components of the pages, whose scripts are loaded at their first visit. */
const components = new Map(
  pages.map((page) => {
    const placeholder = (
      <>
        <PageHeader title={page.title} />
        <Loading />
      </>
    );
    return [page, separate(async () => (await page.load()).Page, placeholder)];
  }),
);

/** Loads the script of the page at the current URL, while the session begins. */
export const preloadPage = (): void => {
  const path = location.pathname.slice(consolePath.length) || '/';
  const page = pages.find((one) => one.path === path);
  const loading = page && components.get(page)?.preload();
  // A failure shows when the page is rendered.
  loading?.catch(() => undefined);
};

interface BoundaryProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** A page that fails leaves the navigation usable. */
class Boundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: undefined };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    return (
      <>
        <PageHeader title={this.props.title} />
        <Failure error={this.state.error} onRetry={() => location.reload()} />
      </>
    );
  }
}

const CurrentPage = ({ page }: { readonly page: PageEntry }) => {
  if (page.feature !== undefined && !isOn(page.feature)) {
    return (
      <>
        <PageHeader title={page.title} />
        <EmptyState title={strings.states.featureOff}>
          <p>{strings.states.featureOffText(page.feature)}</p>
        </EmptyState>
      </>
    );
  }
  const Page = components.get(page);
  return (
    <Boundary key={page.path} title={page.title}>
      {Page && <Page />}
    </Boundary>
  );
};

const NotFound = () => (
  <>
    <PageHeader title={strings.states.notFound} />
    <EmptyState title={strings.states.noPage}>
      <p>{strings.states.notFoundText}</p>
      <Link href="/">{strings.states.toHome}</Link>
    </EmptyState>
  </>
);

/** A page of administrators, for a moderator. */
const AdminsOnly = ({ page }: { readonly page: PageEntry }) => (
  <>
    <PageHeader title={page.title} />
    <EmptyState title={strings.states.forbidden}>
      <p role="alert">{strings.states.adminsOnly}</p>
      <Link href="/">{strings.states.toHome}</Link>
    </EmptyState>
  </>
);

const SignedIn = () => {
  const state = useStore(session);
  const [path] = useLocation();
  if (state.state === 'starting') return null;
  if (state.state === 'signed-out') return <SignInPage message={state.message} />;
  const { user, expired } = state;
  if (user.role === 'user' || (user.role === 'moderator' && !isOn('moderators')))
    return <NoRolePage name={user.name ?? user.email ?? user.id} />;
  const allowed = pages.filter(({ moderators }) => moderators || user.role === 'admin');
  const page = allowed.find((one) => one.path === path);
  const reserved = pages.find((one) => one.path === path);
  return (
    <>
      <Shell key={user.id} pages={allowed.filter(({ feature }) => isOn(feature))} current={page} user={user}>
        {page ? <CurrentPage page={page} /> : reserved ? <AdminsOnly page={reserved} /> : <NotFound />}
      </Shell>
      {expired && <SignInDialog />}
    </>
  );
};

export const App = () => (
  <QueryClientProvider client={queries}>
    <Router base={consolePath} aroundNav={aroundNav}>
      <SignedIn />
    </Router>
  </QueryClientProvider>
);
