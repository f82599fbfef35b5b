import type { ReportGroup, ReportStatus } from '#contract/reports.ts';
import { bodyOf, client } from '../../api.ts';
import { useCurrentUser } from '../../app/current-user.ts';
import { isOn } from '../../app/session.ts';
import { useHref, useUrl } from '../../app/url.ts';
import { FilteredRows } from '../../components/filtered-rows.tsx';
import { later } from '../../components/lazy.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { ReportedListing } from './reported-listing.tsx';
import { text } from './strings.ts';

const ClaimsTab = later(async () => (await import('./claims.tsx')).ClaimsTab);
const VotesTab = later(async () => (await import('./votes.tsx')).VotesTab);

const filters = ['open', 'resolved', 'dismissed', 'all'] as const satisfies readonly (ReportStatus | 'all')[];

const ReportsTab = () => (
  <FilteredRows
    resource={['reports', 'groups']}
    read={async (status, paging, signal) => {
      const query = { ...paging, status, group: 'project' as const };
      const { data, meta } = await bodyOf(client.reports.list({ query, signal }));
      // The type of the response does not depend on `group`.
      return { data: data as readonly ReportGroup[], meta };
    }}
    parameter="status"
    filters={filters}
    text={text}
    idOf={({ project }) => project.id}
    focusNote={text.focusNote}
  >
    {(group) => <ReportedListing group={group} />}
  </FilteredRows>
);

const tabs = Object.entries(text.tabs) as readonly (readonly [keyof typeof text.tabs, string])[];

export const Page = () => {
  const [url] = useUrl();
  const href = useHref();
  const { is_admin } = useCurrentUser();
  const isShown = { reports: true, votes: isOn('vote_review'), claims: is_admin && isOn('claims') };
  const shown = tabs.filter(([id]) => isShown[id]);
  const tab = shown.find(([id]) => id === url.get('tab'))?.[0] ?? 'reports';
  const others = { status: undefined, state: undefined, page: undefined };
  return (
    <>
      <PageHeader title="Reports" />
      {shown.length > 1 && (
        <div className="lead">
          <Tabs
            label={text.parts}
            tabs={shown}
            current={tab}
            hrefOf={(id) => href({ ...others, tab: id === 'reports' ? undefined : id })}
          />
        </div>
      )}
      {tab === 'reports' && <ReportsTab />}
      {tab === 'votes' && <VotesTab />}
      {tab === 'claims' && <ClaimsTab />}
    </>
  );
};
