import * as z from 'zod';

/**
 * The colours, fonts and shapes of the site. The values are written into a style sheet, so each is validated against its
 * CSS grammar: a value that is not a colour, length, font or shadow is rejected, and no accepted value can end its
 * declaration.
 */

/** The most entries of a theme. */
const COLORS_MAX = 64;
const SHADOWS_MAX = 16;

const Name = z.string().regex(/^[a-z](?:-?[a-z0-9]){0,39}$/, {
  error: 'must be lower-case letters and digits with single hyphens, at most 40',
});

/** Names reserved for the variables of fonts, shapes and shadows. */
const ColorName = Name.refine((name) => !/^(?:radius$|font-|shadow-)/.test(name), {
  error: 'must not be the name of another variable',
});

const HSL = /^(\d{1,3}(?:\.\d{1,3})?) (\d{1,3}(?:\.\d{1,3})?)% (\d{1,3}(?:\.\d{1,3})?)%$/;

const isHsl = (value: string): boolean => {
  const [, hue, saturation, lightness] = HSL.exec(value) ?? [];
  return hue !== undefined && Number(hue) <= 360 && Number(saturation) <= 100 && Number(lightness) <= 100;
};

/** Hue in degrees, saturation and lightness in percent, as `hsl()` takes them. */
const Hsl = z
  .string()
  .max(60)
  .overwrite((value) => value.trim().replace(/\s+/g, ' '))
  .refine(isHsl, { error: 'must be hue, saturation and lightness, such as 222 47% 11%' });

const NUMBER = String.raw`(?:\d{1,4}(?:\.\d{1,4})?|\.\d{1,4})`;

const RADIUS = new RegExp(`^(?:0|${NUMBER}(?:px|rem|em|%|vw|vh|ch|ex|pt|mm))$`);

const Radius = z
  .string()
  .max(20)
  .overwrite((value) => value.trim())
  .refine((value) => RADIUS.test(value), { error: 'must be a length, such as 0.5rem' });

/** A font family in a list: unquoted words, or printable characters in quotes. */
const FAMILY = /^(?:-?[a-z][a-z0-9-]*(?: [a-z0-9][a-z0-9-]*)*|"[\p{L}\p{N} ._-]{1,60}"|'[\p{L}\p{N} ._-]{1,60}')$/iu;

const Font = z
  .string()
  .max(300)
  .overwrite((value) => value.trim())
  .refine((value) => value.split(',').every((family) => FAMILY.test(family.trim())), {
    error: 'must be font families separated by commas, such as Inter, sans-serif',
  });

const LENGTH = new RegExp(`^-?(?:0|${NUMBER}(?:px|rem|em))$`);
const COLOR =
  /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30}|(?:rgb|hsl)a?\([0-9., %/]{5,50}\)|hsl\(var\(--[a-z](?:-?[a-z0-9]){0,39}\)(?: ?\/ ?[0-9.]{1,6}%?)?\))$/;

/** One shadow of a list: lengths, a colour, `inset`. */
const isShadow = (layer: string): boolean => {
  // A space within parentheses is not a separator.
  const words = layer.match(/[^\s(]+(?:\([^()]*(?:\([^()]*\)[^()]*)?\))?/g) ?? [];
  if (words.join(' ') !== layer.replace(/\s+/g, ' ')) return false;
  const lengths = words.filter((word) => LENGTH.test(word)).length;
  const insets = words.filter((word) => word === 'inset').length;
  const colors = words.filter((word) => word !== 'inset' && COLOR.test(word)).length;
  return lengths >= 2 && lengths <= 4 && insets <= 1 && colors <= 1 && lengths + insets + colors === words.length;
};

const isShadowList = (value: string): boolean =>
  value === 'none' || value.split(/,(?![^()]*\))/).every((layer) => isShadow(layer.trim()));

const Shadow = z
  .string()
  .max(300)
  .overwrite((value) => value.trim().toLowerCase().replace(/\s+/g, ' '))
  .refine(isShadowList, { error: 'must be a shadow, such as 0 1px 2px rgb(0 0 0 / 0.1)' });

/** The variables of a theme; the names of colours and shadows are free. */
export const Theme = z
  .object({
    colors: z.object({
      light: z.record(z.string(), z.string()).describe('Variable to `hue saturation% lightness%`.'),
      dark: z.record(z.string(), z.string()).describe('The same for the dark theme.'),
    }),
    fonts: z.object({ sans: z.string(), serif: z.string(), mono: z.string() }),
    radius: z.string().describe('The corner radius: a CSS length.'),
    shadows: z.record(z.string(), z.string()).describe('Name to CSS shadow.'),
  })
  .meta({ id: 'Theme' });
export type Theme = z.infer<typeof Theme>;

const tooMany = (what: string, max: number) => ({ error: `must have at most ${max} ${what}` });
const atMost = (max: number) => (entries: object) => Object.keys(entries).length <= max;

const Colors = z.record(ColorName, Hsl.nullable()).refine(atMost(COLORS_MAX), tooMany('colours', COLORS_MAX));

/** A part of a theme; null resets it to its default, and removes a colour or a shadow without one. */
export const ThemeUpdate = z
  .object({
    colors: z.object({ light: Colors.nullish(), dark: Colors.nullish() }).nullish(),
    fonts: z.object({ sans: Font.nullish(), serif: Font.nullish(), mono: Font.nullish() }).nullish(),
    radius: Radius.nullish(),
    shadows: z.record(Name, Shadow.nullable()).refine(atMost(SHADOWS_MAX), tooMany('shadows', SHADOWS_MAX)).nullish(),
  })
  .meta({ id: 'ThemeUpdate' });
export type ThemeUpdate = z.infer<typeof ThemeUpdate>;

/** The limits of a merged theme: valid parts can add up to an invalid whole. */
export const ThemeBounds = z.object({
  colors: z.object({
    light: z.looseObject({}).refine(atMost(COLORS_MAX), tooMany('colours', COLORS_MAX)),
    dark: z.looseObject({}).refine(atMost(COLORS_MAX), tooMany('colours', COLORS_MAX)),
  }),
  shadows: z.looseObject({}).refine(atMost(SHADOWS_MAX), tooMany('shadows', SHADOWS_MAX)),
});
