import { checked } from '#contract/checked.ts';
import type { Layout, LayoutUpdate, MapSettings, MapSettingsUpdate } from '#contract/settings.ts';
import { type Theme, ThemeBounds, type ThemeUpdate } from '#contract/theme.ts';
import { retried } from '#domain/retried.ts';
import { stale } from '#shared/errors.ts';
import { defaultTheme } from './default-theme.ts';

/** The settings of the site, by name. */
export interface SettingValues {
  readonly layout: Layout;
  readonly theme: Theme;
  readonly map: MapSettings;
}
export type SettingName = keyof SettingValues;

interface SettingUpdates {
  readonly layout: LayoutUpdate;
  readonly theme: ThemeUpdate;
  readonly map: MapSettingsUpdate;
}

/** What holds until something is stored. */
export const defaults: SettingValues = {
  layout: { card: { showLogo: true, showImage: false }, detail: { showLogo: true, showImage: false } },
  theme: defaultTheme,
  map: { defaultProjection: 'globe', lighting: 'auto' },
};

/** A setting with its version; 0 while nothing is stored. */
export interface Setting<N extends SettingName = SettingName> {
  readonly value: SettingValues[N];
  readonly version: number;
}

/** The strong tag of a setting. */
export const settingTag = (name: SettingName, { version }: Pick<Setting, 'version'>): string => `${name}.${version}`;

const mergeShown = (current: Layout['card'], update: LayoutUpdate['card']): Layout['card'] => ({
  showLogo: update?.showLogo ?? current.showLogo,
  showImage: update?.showImage ?? current.showImage,
});

const mergeLayout = (current: Layout, update: LayoutUpdate): Layout => ({
  card: mergeShown(current.card, update.card),
  detail: mergeShown(current.detail, update.detail),
});

/** Entries over entries; null takes one away. */
const mergeEntries = (
  current: Readonly<Record<string, string>>,
  update: Readonly<Record<string, string | null>> | undefined,
): Record<string, string> => {
  const entries = new Map<string, string>(Object.entries(current));
  for (const [name, value] of Object.entries(update ?? {})) {
    if (value === null) entries.delete(name);
    else entries.set(name, value);
  }
  return Object.fromEntries(entries);
};

const mergeTheme = (current: Theme, update: ThemeUpdate): Theme => {
  const theme = {
    colors: {
      light: mergeEntries(current.colors.light, update.colors?.light),
      dark: mergeEntries(current.colors.dark, update.colors?.dark),
    },
    fonts: {
      sans: update.fonts?.sans ?? current.fonts.sans,
      serif: update.fonts?.serif ?? current.fonts.serif,
      mono: update.fonts?.mono ?? current.fonts.mono,
    },
    radius: update.radius ?? current.radius,
    shadows: mergeEntries(current.shadows, update.shadows),
  };
  checked(ThemeBounds, theme);
  return theme;
};

const mergeMap = (current: MapSettings, update: MapSettingsUpdate): MapSettings => ({
  defaultProjection: update.defaultProjection ?? current.defaultProjection,
  lighting: update.lighting ?? current.lighting,
});

/** How a part comes into each setting. @throws 400 for a whole that is not within its bounds. */
const merge: {
  readonly [N in SettingName]: (current: SettingValues[N], update: SettingUpdates[N]) => SettingValues[N];
} = {
  layout: mergeLayout,
  theme: mergeTheme,
  map: mergeMap,
};

/** What changing a setting takes. */
export interface SettingPorts {
  /** The newest state; the default while nothing is stored. */
  readonly findSetting: <N extends SettingName>(name: N) => Promise<Setting<N>>;
  /** @throws an error named `SettingChanged` when it is not as `previous` any more. */
  readonly replaceSetting: <N extends SettingName>(
    name: N,
    previous: Setting<N>,
    value: SettingValues[N],
  ) => Promise<Setting<N>>;
}

/** Merges a part into a setting. @throws 412 for a stale `If-Match`, 400 when the whole is not within its bounds. */
export const changeSetting = <N extends SettingName>(
  ports: SettingPorts,
  name: N,
  update: SettingUpdates[N],
  ifMatch: readonly string[] | undefined,
): Promise<Setting<N>> =>
  retried('SettingChanged', async () => {
    const current = await ports.findSetting(name);
    if (ifMatch && !ifMatch.includes('*') && !ifMatch.includes(settingTag(name, current))) throw stale();
    return await ports.replaceSetting(name, current, merge[name](current.value, update));
  });
