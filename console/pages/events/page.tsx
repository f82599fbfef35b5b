import type { ComponentType } from 'react';
import { useUrl } from '../../app/url.ts';
import { PageHeader } from '../../components/page-header.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { AuditTab } from './audit.tsx';
import { DeadLettersTab } from './dead-letters.tsx';
import { EventDetail, EventLogTab } from './event-log.tsx';
import { text } from './strings.ts';

type Tab = keyof typeof text.tabs;

const views: Readonly<Record<Tab, ComponentType>> = {
  log: EventLogTab,
  audit: AuditTab,
  'dead-letters': DeadLettersTab,
};

const isTab = (name: string | null): name is Tab => name !== null && Object.hasOwn(views, name);

export const Page = () => {
  const [url] = useUrl();
  const asked = url.get('tab');
  const tab = isTab(asked) ? asked : 'log';
  const open = url.get('open');
  const View = views[tab];
  return (
    <>
      <PageHeader title="Events" />
      <div className="stack">
        <Tabs
          label={text.sections}
          tabs={Object.entries(text.tabs) as [Tab, string][]}
          current={tab}
          hrefOf={(id) => (id === 'log' ? '/events' : `/events?tab=${id}`)}
        />
        {open === null ? <View key={tab} /> : <EventDetail key={open} id={open} />}
      </div>
    </>
  );
};
