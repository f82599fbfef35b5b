import * as z from 'zod';
import { parse } from '#contract/parse.ts';
import { Layout, type LayoutUpdate, MapSettings, type MapSettingsUpdate } from '#contract/settings.ts';
import { Theme, type ThemeUpdate } from '#contract/theme.ts';
import { defaultTheme, mergeTheme, partOf } from './theme.ts';

const schemas = { layout: Layout, theme: Theme, map: MapSettings };

export type SettingName = keyof typeof schemas;

/** The settings of the site, by name. */
export type SettingValues = { readonly [N in SettingName]: z.output<(typeof schemas)[N]> };

/** A setting with its version; 0 while nothing is stored. */
export interface Setting<N extends SettingName = SettingName> {
  readonly value: SettingValues[N];
  readonly version: number;
}

/** The values of settings that have not been stored. */
export const defaults: SettingValues = {
  layout: { card: { showLogo: true, showImage: false }, detail: { showLogo: true, showImage: false } },
  theme: defaultTheme,
  map: { defaultProjection: 'globe', lighting: 'auto' },
};

const Stored = z.object({ value: z.record(z.string(), z.unknown()), version: z.number() });

/** Reads a stored setting; members that an older one lacks have their default. */
export const parseSetting = <N extends SettingName>(name: N, stored: unknown): Setting<N> => {
  if (stored === undefined) return { value: defaults[name], version: 0 };
  const { value, version } = parse(Stored, stored);
  return {
    value: parse(schemas[name], { ...defaults[name], ...value }) as SettingValues[N],
    version,
  };
};

export interface SettingUpdates {
  readonly layout: LayoutUpdate;
  readonly theme: ThemeUpdate;
  readonly map: MapSettingsUpdate;
}

const mergeVisibility = (
  update: LayoutUpdate['card'],
  current: Layout['card'],
  standard: Layout['card'],
): Layout['card'] =>
  update === null
    ? standard
    : {
        showLogo: partOf(update?.showLogo, current.showLogo, standard.showLogo),
        showImage: partOf(update?.showImage, current.showImage, standard.showImage),
      };

const mergers: {
  readonly [N in SettingName]: (current: SettingValues[N], update: SettingUpdates[N]) => SettingValues[N];
} = {
  layout: (current, update) => ({
    card: mergeVisibility(update.card, current.card, defaults.layout.card),
    detail: mergeVisibility(update.detail, current.detail, defaults.layout.detail),
  }),
  theme: mergeTheme,
  map: (current, update) => ({
    defaultProjection: partOf(update.defaultProjection, current.defaultProjection, defaults.map.defaultProjection),
    lighting: partOf(update.lighting, current.lighting, defaults.map.lighting),
  }),
};

/** Merges a partial update into a setting; null resets a part to its default. @throws 400 when the result exceeds the limits of a theme. */
export const mergeSetting = <N extends SettingName>(
  name: N,
  current: SettingValues[N],
  update: SettingUpdates[N],
): SettingValues[N] => mergers[name](current, update);
