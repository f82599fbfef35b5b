import { useCurrentUser } from '../../app/current-user.ts';
import { isOn } from '../../app/session.ts';
import { useUrl } from '../../app/url.ts';
import { later } from '../../components/lazy.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { Header } from './header.tsx';
import { List } from './list.tsx';
import { collections as text } from './strings.ts';

const Detail = later(async () => (await import('./detail.tsx')).Detail);
const CollectionsTab = later(async () => (await import('./collections.tsx')).CollectionsTab);

const COLLECTIONS = 'collections';

export const Page = () => {
  const [url] = useUrl();
  const { is_admin: isAdmin } = useCurrentUser();
  const open = url.get('open');
  const hasCollections = isAdmin && isOn('collections');
  const isCollections = hasCollections && url.get('tab') === COLLECTIONS;
  if (open !== null && !isCollections) {
    return (
      <>
        <PageHeader title="Listings" />
        <Detail key={open} id={open} />
      </>
    );
  }
  return (
    <>
      <PageHeader title="Listings">{!isCollections && <Header />}</PageHeader>
      {hasCollections && (
        <div className="lead">
          <Tabs
            label={text.parts}
            tabs={[
              ['listings', text.listings],
              [COLLECTIONS, text.collections],
            ]}
            current={isCollections ? COLLECTIONS : 'listings'}
            hrefOf={(tab) => (tab === COLLECTIONS ? `/listings?tab=${COLLECTIONS}` : '/listings')}
          />
        </div>
      )}
      {isCollections ? <CollectionsTab /> : <List />}
    </>
  );
};
