import * as z from 'zod';
import { checked, parse } from '#contract/fields.ts';
import {
  Layout,
  type LayoutUpdate,
  MapSettings,
  type MapSettingsUpdate,
  Site,
  type SiteText,
  type SiteUpdate,
  Theme,
  ThemeBounds,
  type ThemeUpdate,
} from '#contract/settings.ts';

/** The theme of a site that has not configured one. */
const defaultTheme: Theme = {
  colors: {
    light: {
      background: '0 0% 100%',
      foreground: '222 39% 11%',
      card: '0 0% 100%',
      'card-foreground': '222 39% 11%',
      popover: '0 0% 100%',
      'popover-foreground': '222 39% 11%',
      primary: '221 70% 46%',
      'primary-foreground': '0 0% 100%',
      secondary: '218 27% 95%',
      'secondary-foreground': '222 39% 16%',
      muted: '218 27% 95%',
      'muted-foreground': '219 12% 42%',
      accent: '192 60% 92%',
      'accent-foreground': '196 70% 18%',
      destructive: '4 72% 46%',
      'destructive-foreground': '0 0% 100%',
      border: '218 20% 88%',
      input: '218 20% 84%',
      ring: '221 70% 46%',
    },
    dark: {
      background: '222 32% 8%',
      foreground: '216 22% 94%',
      card: '222 28% 11%',
      'card-foreground': '216 22% 94%',
      popover: '222 28% 11%',
      'popover-foreground': '216 22% 94%',
      primary: '217 82% 66%',
      'primary-foreground': '222 40% 10%',
      secondary: '221 20% 18%',
      'secondary-foreground': '216 22% 94%',
      muted: '221 20% 16%',
      'muted-foreground': '217 14% 66%',
      accent: '196 40% 20%',
      'accent-foreground': '190 50% 88%',
      destructive: '4 66% 58%',
      'destructive-foreground': '4 60% 8%',
      border: '221 18% 22%',
      input: '221 18% 26%',
      ring: '217 82% 66%',
    },
  },
  fonts: {
    sans: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
    serif: 'Georgia, "Times New Roman", serif',
    mono: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
  },
  radius: '0.5rem',
  shadows: {
    sm: '0 1px 2px rgb(0 0 0 / 0.06)',
    md: '0 2px 6px rgb(0 0 0 / 0.1)',
    lg: '0 8px 24px rgb(0 0 0 / 0.14)',
  },
};

/** The next value of a part: null resets it to its default, undefined keeps it. */
const partOf = <T>(update: T | null | undefined, current: T, standard: T): T => {
  if (update === undefined) return current;
  return update ?? standard;
};

/** Adds and replaces entries; null resets one to its default or, without one, deletes it. */
const mergeEntries = (
  update: Readonly<Record<string, string | null>> | null | undefined,
  current: Readonly<Record<string, string>>,
  standard: Readonly<Record<string, string>>,
): Record<string, string> => {
  if (update === null) return { ...standard };
  const entries = new Map<string, string>(Object.entries(current));
  for (const [name, value] of Object.entries(update ?? {})) {
    const next = value ?? (Object.hasOwn(standard, name) ? standard[name] : undefined);
    if (next === undefined) entries.delete(name);
    else entries.set(name, next);
  }
  return Object.fromEntries(entries);
};

/**
 * Merges an update into a theme; null resets a part to its default.
 * @throws 400 when the result has too many colours or shadows.
 */
const mergeTheme = (current: Theme, update: ThemeUpdate): Theme => {
  const { colors, fonts, radius, shadows } = defaultTheme;
  const { light, dark } = update.colors ?? {};
  const { sans, serif, mono } = update.fonts ?? {};
  const theme = {
    colors:
      update.colors === null
        ? colors
        : {
            light: mergeEntries(light, current.colors.light, colors.light),
            dark: mergeEntries(dark, current.colors.dark, colors.dark),
          },
    fonts:
      update.fonts === null
        ? fonts
        : {
            sans: partOf(sans, current.fonts.sans, fonts.sans),
            serif: partOf(serif, current.fonts.serif, fonts.serif),
            mono: partOf(mono, current.fonts.mono, fonts.mono),
          },
    radius: partOf(update.radius, current.radius, radius),
    shadows: mergeEntries(update.shadows, current.shadows, shadows),
  };
  checked(ThemeBounds, theme);
  return theme;
};

const rule = (selector: string, variables: readonly (readonly [name: string, value: string])[]): string =>
  [`${selector} {`, ...variables.map(([name, value]) => `  --${name}: ${value};`), '}'].join('\n');

/** A style sheet with a variable for each value of a theme; dark colours are under `.dark`. */
export const themeCss = ({ colors, fonts, radius, shadows }: Theme): string => {
  const shape = [
    ...Object.entries(fonts).map(([name, value]) => [`font-${name}`, value] as const),
    ['radius', radius] as const,
    ...Object.entries(shadows).map(([name, value]) => [`shadow-${name}`, value] as const),
  ];
  return `${rule(':root', [...Object.entries(colors.light), ...shape])}\n\n${rule('.dark', Object.entries(colors.dark))}\n`;
};

const schemas = { layout: Layout, theme: Theme, map: MapSettings, site: Site };

export type SettingName = keyof typeof schemas;

export type SettingValues = { readonly [N in SettingName]: z.output<(typeof schemas)[N]> };

/** A setting with its version; 0 while nothing is stored. */
export interface Setting<N extends SettingName = SettingName> {
  readonly value: SettingValues[N];
  readonly version: number;
}

/** The values of settings that have not been stored. */
export const defaultSettings = (siteName: string): SettingValues => ({
  layout: { card: { showLogo: true, showImage: false }, detail: { showLogo: true, showImage: false } },
  theme: defaultTheme,
  map: { defaultProjection: 'globe', lighting: 'auto' },
  site: {
    name: siteName,
    tagline: '',
    description: '',
    image_url: null,
    listing_type: 'SoftwareApplication',
    links: [],
    texts: { about: '', imprint: '', privacy: '', terms: '' },
  },
});

const Stored = z.object({ value: z.record(z.string(), z.unknown()), version: z.number() });

/** Reads a stored setting; absent members have their default. */
export const parseSetting = <N extends SettingName>(name: N, stored: unknown, defaults: SettingValues): Setting<N> => {
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
  readonly site: SiteUpdate;
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
  readonly [N in SettingName]: (
    current: SettingValues[N],
    update: SettingUpdates[N],
    standard: SettingValues[N],
  ) => SettingValues[N];
} = {
  layout: (current, update, standard) => ({
    card: mergeVisibility(update.card, current.card, standard.card),
    detail: mergeVisibility(update.detail, current.detail, standard.detail),
  }),
  theme: mergeTheme,
  map: (current, update, standard) => ({
    defaultProjection: partOf(update.defaultProjection, current.defaultProjection, standard.defaultProjection),
    lighting: partOf(update.lighting, current.lighting, standard.lighting),
  }),
  site: (current, update, standard) => {
    const part = <K extends Exclude<keyof Site, 'texts'>>(name: K): Site[K] =>
      partOf(update[name] as Site[K] | null | undefined, current[name], standard[name]);
    const ofText = (name: SiteText): string =>
      update.texts === null ? '' : partOf(update.texts?.[name], current.texts[name], '');
    return {
      name: part('name'),
      tagline: part('tagline'),
      description: part('description'),
      image_url: part('image_url'),
      listing_type: part('listing_type'),
      links: part('links'),
      texts: {
        about: ofText('about'),
        imprint: ofText('imprint'),
        privacy: ofText('privacy'),
        terms: ofText('terms'),
      },
    };
  },
};

/** Merges a partial update into a setting; null resets a part to its default. @throws 400 when the result exceeds the limits of a theme. */
export const mergeSetting = <N extends SettingName>(
  name: N,
  current: SettingValues[N],
  update: SettingUpdates[N],
  defaults: SettingValues,
): SettingValues[N] => mergers[name](current, update, defaults[name]);
