import type { ComponentType } from 'react';
import { useUrl } from '../../app/url.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Tabs } from '../../components/tabs.tsx';
import * as strings from '../../strings.ts';
import { AuditTab } from './audit.tsx';
import { EventDetail, LedgerTab } from './ledger.tsx';
import { LettersTab } from './letters.tsx';

type Tab = keyof typeof strings.events.tabs;

const views: Readonly<Record<Tab, ComponentType>> = { ledger: LedgerTab, audit: AuditTab, letters: LettersTab };

const isTab = (name: string | null): name is Tab => name !== null && Object.hasOwn(views, name);

export const Page = () => {
  const [url] = useUrl();
  const asked = url.get('tab');
  const tab = isTab(asked) ? asked : 'ledger';
  const open = url.get('open');
  const View = views[tab];
  return (
    <>
      <PageHeader title="Events" />
      <div className="stack">
        <Tabs
          label={strings.events.sections}
          tabs={Object.entries(strings.events.tabs) as [Tab, string][]}
          current={tab}
          hrefOf={(id) => (id === 'ledger' ? '/events' : `/events?tab=${id}`)}
        />
        {open === null ? <View key={tab} /> : <EventDetail key={open} id={open} />}
      </div>
    </>
  );
};
