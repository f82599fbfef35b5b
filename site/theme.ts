import type { Theme } from '#contract/settings.ts';

/**
 * The tokens of the pages from the theme of the settings. An administrator may choose any colours: text keeps a contrast of 4.5 to
 * what it stands on, and the edges of controls one of 3 (WCAG 2.2, AA).
 */

interface Hsl {
  readonly hue: number;
  readonly saturation: number;
  readonly lightness: number;
}

const parse = (text: string): Hsl => {
  const [hue = 0, saturation = 0, lightness = 0] = text.split(' ').map((part) => Number.parseFloat(part));
  return { hue, saturation, lightness };
};

const css = ({ hue, saturation, lightness }: Hsl): string =>
  `hsl(${hue} ${saturation}% ${Math.round(lightness * 10) / 10}%)`;

/** The relative luminance of WCAG. */
const luminance = ({ hue, saturation, lightness }: Hsl): number => {
  const chroma = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const channel = (offset: number): number => {
    const at = (offset + hue / 30) % 12;
    // Browsers round to the 256 values of a channel.
    const value = Math.round((lightness / 100 - chroma * Math.max(-1, Math.min(at - 3, 9 - at, 1))) * 255) / 255;
    return value <= 0.040_45 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * channel(0) + 0.7152 * channel(8) + 0.0722 * channel(4);
};

/** The contrast of two colours, from 1 to 21. */
const contrast = (one: Hsl, other: Hsl): number => {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
};

const worst = (color: Hsl, backgrounds: readonly Hsl[]): number =>
  Math.min(...backgrounds.map((background) => contrast(color, background)));

/** Leaves room for the rounding of browsers. */
const MARGIN = 0.1;

/** The colour, or the nearest lighter or darker one with the contrast to all backgrounds; black or white where there is none. */
const readable = (color: Hsl, backgrounds: readonly Hsl[], ratio: number): Hsl => {
  for (let distance = 0; distance <= 100; distance += 1) {
    for (const lightness of [color.lightness - distance, color.lightness + distance]) {
      if (lightness < 0 || lightness > 100) continue;
      const changed = { ...color, lightness };
      if (worst(changed, backgrounds) >= ratio + MARGIN) return changed;
    }
  }
  const [black, white] = [0, 100].map((lightness) => ({ hue: 0, saturation: 0, lightness })) as [Hsl, Hsl];
  return worst(black, backgrounds) >= worst(white, backgrounds) ? black : white;
};

/** A colour between two, a share of the way to the second one, in sRGB of their lightness and saturation. */
const mixed = (from: Hsl, to: Hsl, share: number): Hsl => ({
  hue: from.saturation === 0 ? to.hue : from.hue,
  saturation: from.saturation + (to.saturation - from.saturation) * share,
  lightness: from.lightness + (to.lightness - from.lightness) * share,
});

const TEXT = 4.5;
const EDGE = 3;

/** The tokens of one of the two schemes by name. */
const schemeOf = (colors: Readonly<Record<string, string>>): Readonly<Record<string, Hsl>> => {
  const of = (name: string): Hsl => parse(colors[name] ?? colors.background ?? '0 0% 100%');
  const page = of('background');
  const surface = of('card');
  // A neutral tint of the page, so that text reads on it whatever the theme's muted colour is.
  const ink = readable(of('foreground'), [page, surface], TEXT);
  const sunken = mixed(page, ink, 0.045);
  const grounds = [page, surface, sunken];
  const accent = of('primary');
  const accentText = readable(of('primary-foreground'), [accent], TEXT);
  const link = readable(accent, grounds, TEXT);
  const accentSoft = { ...link, lightness: mixed(page, link, 0.1).lightness };
  return {
    page,
    surface,
    raised: surface,
    sunken,
    line: of('border'),
    'line-strong': readable(of('input'), grounds, EDGE),
    text: readable(of('foreground'), grounds, 7),
    soft: readable(of('muted-foreground'), [...grounds, accentSoft], TEXT),
    accent,
    'accent-text': accentText,
    link,
    'accent-soft': accentSoft,
    'on-accent-soft': readable(link, [accentSoft], TEXT),
    focus: readable(of('ring'), grounds, EDGE),
    bad: readable(of('destructive'), grounds, TEXT),
    highlight: readable({ hue: 38, saturation: 92, lightness: 48 }, grounds, EDGE),
  };
};

const cache = new WeakMap<Theme, string>();

/** The style sheet with the theme's tokens. */
export const themeTokens = (theme: Theme): string => {
  const known = cache.get(theme);
  if (known !== undefined) return known;
  const [light, dark] = [schemeOf(theme.colors.light), schemeOf(theme.colors.dark)];
  const colors = Object.entries(light).map(
    ([name, color]) => `--${name}:light-dark(${css(color)},${css(dark[name] ?? color)})`,
  );
  const { sans, serif, mono } = theme.fonts;
  const shape = [`--sans:${sans}`, `--serif:${serif}`, `--mono:${mono}`, `--radius:${theme.radius}`];
  const shadows = Object.entries(theme.shadows).map(([name, value]) => `--shadow-${name}:${value}`);
  const text = `:root{${[...colors, ...shape, ...shadows].join(';')}}`;
  cache.set(theme, text);
  return text;
};
