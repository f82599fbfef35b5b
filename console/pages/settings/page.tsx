import type { ComponentType } from 'react';
import { isOn } from '../../app/session.ts';
import { useUrl } from '../../app/url.ts';
import { later } from '../../components/later.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { Tabs } from '../../components/tabs.tsx';
import * as strings from '../../strings.ts';
import { LayoutTab, MapTab, ThemeTab } from './appearance.tsx';
import { FeaturesTab, LimitsTab } from './service.tsx';

type Tab = keyof typeof strings.settings.tabs;

const views: Readonly<Record<Tab, ComponentType>> = {
  layout: LayoutTab,
  theme: ThemeTab,
  map: MapTab,
  features: FeaturesTab,
  limits: LimitsTab,
  keys: later(async () => (await import('./keys.tsx')).KeysTab),
  administrators: later(async () => (await import('./administrators.tsx')).AdministratorsTab),
};

const isTab = (name: string | null): name is Tab => name !== null && Object.hasOwn(views, name);

const isShown = (tab: Tab): boolean => tab !== 'map' || isOn('map');

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
          label={strings.settings.sections}
          tabs={(Object.entries(strings.settings.tabs) as [Tab, string][]).filter(([id]) => isShown(id))}
          current={tab}
          hrefOf={(id) => `/settings?tab=${id}`}
        />
        <View />
      </div>
    </>
  );
};
