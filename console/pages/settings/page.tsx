import type { ComponentType } from 'react';
import { isOn } from '../../app/session.ts';
import { useUrl } from '../../app/url.ts';
import { later } from '../../components/lazy.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Tabs } from '../../components/tabs.tsx';
import { LayoutTab, MapTab, ThemeTab } from './appearance.tsx';
import { FeaturesTab, LimitsTab } from './service.tsx';
import { text } from './strings.ts';

type Tab = keyof typeof text.tabs;

const views: Readonly<Record<Tab, ComponentType>> = {
  site: later(async () => (await import('./site.tsx')).SiteTab),
  layout: LayoutTab,
  theme: ThemeTab,
  map: MapTab,
  fields: later(async () => (await import('./fields.tsx')).FieldsTab),
  features: FeaturesTab,
  limits: LimitsTab,
  keys: later(async () => (await import('./keys.tsx')).KeysTab),
  administrators: later(async () => (await import('./administrators.tsx')).AdministratorsTab),
};

const isTab = (name: string | null): name is Tab => name !== null && Object.hasOwn(views, name);

const isShown = (tab: Tab): boolean => (tab !== 'map' && tab !== 'site' && tab !== 'fields') || isOn(tab);

export const Page = () => {
  const [url] = useUrl();
  const asked = url.get('tab');
  const tab = isTab(asked) && isShown(asked) ? asked : 'layout';
  const View = views[tab];
  return (
    <>
      <PageHeader title="Settings" />
      <div className="stack">
        <Tabs
          label={text.sections}
          tabs={(Object.entries(text.tabs) as [Tab, string][]).filter(([id]) => isShown(id))}
          current={tab}
          hrefOf={(id) => `/settings?tab=${id}`}
        />
        <View />
      </div>
    </>
  );
};
