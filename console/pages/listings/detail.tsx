import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Project } from '#contract/projects.ts';
import { client, dataOf } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { ifMatch, isPublic, type Listing, undoDecision, useListing } from '../../app/listings.ts';
import { apiUrl } from '../../app/location.ts';
import { refresh } from '../../app/queries.ts';
import { rememberListing } from '../../app/recent.ts';
import { isOn, session } from '../../app/session.ts';
import { useStore } from '../../app/store.ts';
import { notify, perform } from '../../app/toasts.tsx';
import { useUrl } from '../../app/url.ts';
import { Badge, StatusBadge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/confirm.tsx';
import { later } from '../../components/lazy.tsx';
import { ListingForm } from '../../components/listing-form.tsx';
import { Logo } from '../../components/logo.tsx';
import { useRecordTitle } from '../../components/page-header.tsx';
import { Loaded } from '../../components/states.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { formatNumber } from '../../format.ts';
import * as strings from '../../strings.ts';
import { text } from './strings.ts';

const Comments = later(async () => (await import('./comments.tsx')).Comments);
const History = later(async () => (await import('./history.tsx')).History);
const Promotions = later(async () => (await import('./promotions.tsx')).Promotions);
const Statistics = later(async () => (await import('./statistics.tsx')).Statistics);

const changed = async () => await refresh('projects', 'revisions');

const setDeleted = async (project: string, deleted_at: string | null) => {
  await dataOf(client.projects.edit({ params: { project }, body: { deleted_at } }));
  await changed();
};

/** Whether a moderator looks at an own listing, which the service lets others decide. */
const useIsOwn = ({ owner_id }: Project): boolean => {
  const { id, is_admin } = useCurrentUser();
  return !is_admin && owner_id === id;
};

const OwnNote = ({ project }: { readonly project: Project }) =>
  useIsOwn(project) && <p className="message wait">{strings.listing.own}</p>;

const Actions = ({ listing: { project, etag }, isAdmin }: { readonly listing: Listing; readonly isAdmin: boolean }) => {
  const [, setUrl] = useUrl();
  const [isPurging, setPurging] = useState(false);
  const { id, name } = project;
  const isOwn = useIsOwn(project);
  const approve = async () => {
    await dataOf(client.projects.approve({ params: { project: id }, ...ifMatch(etag) }));
    notify(text.approved(name), async () => {
      await undoDecision(id);
      await changed();
    });
    await changed();
  };
  const remove = async () => {
    await setDeleted(id, new Date().toISOString());
    notify(text.deleted(name), () => setDeleted(id, null));
  };
  const restore = async () => {
    await setDeleted(id, null);
    notify(text.restored(name), () => setDeleted(id, new Date().toISOString()));
  };
  return (
    <span className="row push">
      {isAdmin && (
        <Link className="button" href={`/listings?new=${id}`}>
          {text.duplicate}
        </Link>
      )}
      {project.status === 'pending' && project.deleted_at === null && (
        <Button isDisabled={isOwn} onClick={() => void perform(approve)}>
          {strings.actions.approve}
        </Button>
      )}
      {isAdmin && project.deleted_at === null && (
        <Button kind="danger" onClick={() => void perform(remove)}>
          {strings.actions.delete}
        </Button>
      )}
      {isAdmin && project.deleted_at !== null && (
        <>
          <Button onClick={() => void perform(restore)}>{strings.actions.restore}</Button>
          <Button kind="danger" onClick={() => setPurging(true)}>
            {text.purge}
          </Button>
        </>
      )}
      {isPurging && (
        <Confirm
          title={text.purge}
          action={text.purge}
          phrase={name}
          onClose={() => setPurging(false)}
          onConfirm={async () => {
            await dataOf(client.projects.purge({ params: { project: id } }));
            notify(text.purged(name));
            setUrl({ open: undefined, tab: undefined });
            await changed();
          }}
        >
          <p>{text.purgeText(name)}</p>
        </Confirm>
      )}
    </span>
  );
};

const Numbers = ({ project }: { readonly project: Project }) => (
  <p className="soft small">
    {(
      [
        { label: text.columns.votes, count: project.upvote_count },
        { label: text.columns.views, count: project.views_count, feature: 'analytics' },
        { label: text.comments, count: project.comments_count, feature: 'comments' },
        { label: text.ratings, count: project.ratings_count, feature: 'ratings' },
      ] as const
    )
      .filter((number) => !('feature' in number) || isOn(number.feature))
      .map(({ label, count }) => `${label} ${formatNumber(count)}`)
      .join(' · ')}
  </p>
);

const tabs = ['details', 'history', 'comments', 'promotions', 'statistics'] as const;
type Tab = (typeof tabs)[number];

/** The tabs that the caller's role and the enabled features permit. */
const tabsFor = (isAdmin: boolean): readonly Tab[] =>
  tabs.filter((tab) => {
    if (tab === 'comments') return isOn('comments');
    if (tab === 'promotions') return isAdmin && isOn('promotions');
    return tab !== 'statistics' || (isAdmin && isOn('analytics'));
  });

const TabContent = ({
  tab,
  listing,
  isAdmin,
}: {
  readonly tab: Tab;
  readonly listing: Listing;
  readonly isAdmin: boolean;
}) => {
  const [version, setVersion] = useState(0);
  const { id } = listing.project;
  if (tab === 'history') return <History project={id} />;
  if (tab === 'comments') return <Comments project={id} />;
  if (tab === 'promotions') return <Promotions project={id} />;
  if (tab === 'statistics') return <Statistics project={id} />;
  // After saving, the form begins again with what was saved.
  return <ListingForm key={version} listing={listing} isAdmin={isAdmin} onDone={() => setVersion(version + 1)} />;
};

/** One listing with everything that belongs to it. */
export const Detail = ({ id }: { readonly id: string }) => {
  const [url] = useUrl();
  const current = useStore(session);
  const isAdmin = current.state === 'signed-in' && current.user.is_admin;
  const query = useListing(id);
  const name = query.data?.project.name;
  useRecordTitle(name);
  useEffect(() => {
    if (name !== undefined) rememberListing({ id, name });
  }, [id, name]);
  const shown = tabsFor(isAdmin);
  const tab = shown.find((one) => one === url.get('tab')) ?? 'details';
  const back = new URLSearchParams(url);
  for (const parameter of ['open', 'tab']) back.delete(parameter);
  const hrefOf = (one: Tab) => {
    const next = new URLSearchParams(url);
    if (one === 'details') next.delete('tab');
    else next.set('tab', one);
    return `/listings?${next.toString()}`;
  };
  return (
    <div className="stack">
      <p>
        <Link href={back.size > 0 ? `/listings?${back.toString()}` : '/listings'}>← {text.back}</Link>
      </p>
      <Loaded query={query}>
        {(listing) => (
          <>
            <div className="row">
              <Logo url={listing.project.logo_url} name={listing.project.name} isLarge />
              <div className="queue-heading">
                <h2 dir="auto">
                  {listing.project.name} <StatusBadge listing={listing.project} />{' '}
                  {listing.project.plan === 'premium' && <Badge tone="accent">{strings.plan.premium}</Badge>}
                </h2>
                <p className="small">
                  <a href={listing.project.url} rel="noopener noreferrer nofollow" target="_blank">
                    {listing.project.url}
                  </a>
                  {isOn('site') && isPublic(listing.project) && (
                    <>
                      {' · '}
                      <a href={`${apiUrl}/projects/${listing.project.slug}`} rel="noopener" target="_blank">
                        {text.publicPage}
                      </a>
                    </>
                  )}
                </p>
                <Numbers project={listing.project} />
              </div>
              <Actions listing={listing} isAdmin={isAdmin} />
            </div>
            <OwnNote project={listing.project} />
            {listing.project.rejection_reason && (
              <p className="message bad" dir="auto">
                {listing.project.rejection_reason}
              </p>
            )}
            {listing.project.pending_revision && (
              <p className="message wait">
                {text.waitingEdit}{' '}
                <Link href={`/queue?open=${listing.project.pending_revision.id}`}>{strings.actions.open}</Link>
              </p>
            )}
            <Tabs
              label={text.parts}
              tabs={shown.map((one) => [one, text[one]] as const)}
              current={tab}
              hrefOf={hrefOf}
            />
            <TabContent tab={tab} listing={listing} isAdmin={isAdmin} />
          </>
        )}
      </Loaded>
    </div>
  );
};
