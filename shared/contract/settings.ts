import * as z from 'zod';
import { IMPORT_FILE_BYTES_MAX } from './batches.ts';
import {
  FIELD_VALUES_BYTES_MAX,
  FIELDS_MAX,
  FILTERABLE_MAX,
  OPTIONS_MAX,
  SEARCHABLE_MAX,
  SORTABLE_MAX,
} from './custom-fields.ts';
import { blankAsNull, data, line, optionalLine, optionalList, optionalText } from './fields.ts';
import { AMOUNT_UNIT } from './money.ts';
import { BULK_MAX, MAP_ITEMS_MAX, Plan, sortKeys } from './projects.ts';
import { adminOnly, defineRoute, features } from './route.ts';
import { URL_MAX, WebUrl } from './web-addresses.ts';

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

const Shown = z.object({
  showLogo: z.boolean().describe('Whether the logo is shown.'),
  showImage: z.boolean().describe('Whether the image is shown.'),
});

export const Layout = z
  .object({ card: Shown.describe('Cards of the catalog.'), detail: Shown.describe('The project page.') })
  .meta({ id: 'Layout' });
export type Layout = z.infer<typeof Layout>;

const ShownUpdate = z.object({ showLogo: z.boolean().nullish(), showImage: z.boolean().nullish() });

export const LayoutUpdate = z
  .object({ card: ShownUpdate.nullish(), detail: ShownUpdate.nullish() })
  .meta({ id: 'LayoutUpdate' });
export type LayoutUpdate = z.infer<typeof LayoutUpdate>;

export const MapSettings = z
  .object({
    defaultProjection: z.enum(['globe', 'mercator']),
    lighting: z.enum(['auto', 'dawn', 'day', 'dusk', 'night']),
  })
  .meta({ id: 'MapSettings' });
export type MapSettings = z.infer<typeof MapSettings>;

export const MapSettingsUpdate = z
  .object({
    defaultProjection: MapSettings.shape.defaultProjection.nullish(),
    lighting: MapSettings.shape.lighting.nullish(),
  })
  .meta({ id: 'MapSettingsUpdate' });
export type MapSettingsUpdate = z.infer<typeof MapSettingsUpdate>;

/** The schema.org types of listings. */
const ListingType = z
  .enum(['SoftwareApplication', 'LocalBusiness', 'Product', 'Organization'])
  .meta({ id: 'ListingType' });

/** The texts of the site; each has a page while it is not empty. */
export const siteTexts = ['about', 'imprint', 'privacy', 'terms'] as const;
export type SiteText = (typeof siteTexts)[number];

const SITE_LINKS_MAX = 8;
const SITE_TEXT_MAX = 20_000;

const SiteLink = z.object({ label: line(1, 50), url: WebUrl });

const textsOf = <T extends z.ZodType>(schema: T) =>
  z.object({ about: schema, imprint: schema, privacy: schema, terms: schema } satisfies Record<SiteText, T>);

/** What the public pages, the feeds and search engines call the directory and say about it. */
export const Site = z
  .object({
    name: z.string().describe('The name of the directory; `SITE_NAME` by default.'),
    tagline: z.string().describe('A line below the name; may be empty.'),
    description: z.string().describe('What the directory is, for search engines and feeds; may be empty.'),
    image_url: z.string().nullable().describe('The image of pages without one of their own, when they are shared.'),
    listing_type: ListingType.describe('The schema.org type of listings.'),
    links: z.array(z.object({ label: z.string(), url: z.string() })).describe('Links at the end of each page.'),
    texts: textsOf(z.string()).describe('Markdown; an empty text has no page.'),
  })
  .meta({ id: 'Site' });
export type Site = z.infer<typeof Site>;

/** A part of the site's identity; null resets a member to its default. */
export const SiteUpdate = z
  .object({
    name: optionalLine(100).optional(),
    tagline: optionalLine(200).optional(),
    description: optionalText(500).optional(),
    image_url: blankAsNull(WebUrl.nullable()).optional(),
    listing_type: ListingType.nullish(),
    links: optionalList(z.array(SiteLink).max(SITE_LINKS_MAX)).describe('At most 8; replaces the list.'),
    texts: textsOf(optionalText(SITE_TEXT_MAX).optional()).nullish(),
  })
  .meta({ id: 'SiteUpdate' });
export type SiteUpdate = z.infer<typeof SiteUpdate>;

const change = {
  ...adminOnly,
  method: 'PUT',
  description:
    'Partial, merged recursively; null resets a part to its default. Returns the whole setting. Takes effect within two seconds.',
  ifMatch: true,
  permissions: ['table:get'],
  writes: ['settings'],
} as const;

const reading = {
  ...adminOnly,
  method: 'GET',
  description: 'Public; changed by administrators.',
  permissions: ['table:get'],
} as const;

export const readLayout = defineRoute('settings.readLayout', {
  ...reading,
  path: '/api/admin/layout',
  summary: 'Read the layout',
  responses: { 200: data(Layout) },
});

export const updateLayout = defineRoute('settings.updateLayout', {
  ...change,
  path: '/api/admin/layout',
  summary: 'Update the layout',
  body: LayoutUpdate,
  responses: { 200: data(Layout) },
});

export const readTheme = defineRoute('settings.readTheme', {
  ...reading,
  path: '/api/admin/theme',
  summary: 'Read the theme',
  description: `${reading.description} Also available as CSS.`,
  responses: { 200: data(Theme) },
});

export const updateTheme = defineRoute('settings.updateTheme', {
  ...change,
  path: '/api/admin/theme',
  summary: 'Update the theme',
  description: `${change.description} Null removes a colour or a shadow that has no default.`,
  body: ThemeUpdate,
  responses: { 200: data(Theme) },
});

export const readMap = defineRoute('settings.readMap', {
  ...reading,
  path: '/api/admin/map',
  summary: 'Read the map settings',
  feature: 'map',
  responses: { 200: data(MapSettings) },
});

export const updateMap = defineRoute('settings.updateMap', {
  ...change,
  path: '/api/admin/map',
  summary: 'Update the map settings',
  feature: 'map',
  body: MapSettingsUpdate,
  responses: { 200: data(MapSettings) },
});

export const readSite = defineRoute('settings.readSite', {
  ...reading,
  path: '/api/admin/site',
  summary: "Read the site's name and texts",
  feature: 'site',
  responses: { 200: data(Site) },
});

export const updateSite = defineRoute('settings.updateSite', {
  ...change,
  path: '/api/admin/site',
  summary: "Update the site's name and texts",
  feature: 'site',
  body: SiteUpdate,
  responses: { 200: data(Site) },
});

const Price = z.int().min(0).describe(`Amount ${AMOUNT_UNIT}.`);

/** The limits that a form can validate: lengths in characters, sizes in bytes. */
export const limits = {
  page_size_default: 40,
  page_size_max: 100,
  map_items_max: MAP_ITEMS_MAX,
  bulk_max: BULK_MAX,
  name_length_max: 100,
  description_length_max: 500,
  long_description_length_max: 10_000,
  slug_length_max: 100,
  url_length_max: URL_MAX,
  categories_min: 1,
  categories_max: 5,
  tags_max: 10,
  tag_length_max: 40,
  screenshots_max: 10,
  address_length_max: 100,
  comment_length_max: 2000,
  bio_length_max: 500,
  reason_length_max: 1000,
  rating_min: 1,
  rating_max: 5,
  body_bytes_max: 256 * 1024,
  import_file_bytes_max: IMPORT_FILE_BYTES_MAX,
  fields_max: FIELDS_MAX,
  filterable_fields_max: FILTERABLE_MAX,
  sortable_fields_max: SORTABLE_MAX,
  searchable_fields_max: SEARCHABLE_MAX,
  field_options_max: OPTIONS_MAX,
  field_values_bytes_max: FIELD_VALUES_BYTES_MAX,
} as const;

/** When edits of live projects by their owners are published. */
export const LiveEdits = z
  .enum(['immediate', 'review_material', 'review'])
  .describe(
    'Edits of live projects by their owners: published at once; name, URL, slug, logo and categories wait for approval; or all fields wait.',
  )
  .meta({ id: 'LiveEdits' });
export type LiveEdits = z.infer<typeof LiveEdits>;

/** What callers need a verified email address for. */
export const VerifiedEmailRequired = z
  .enum(['none', 'submit', 'write'])
  .describe(
    'What a user needs a verified email address for: nothing; submissions; or every write, except those to the own profile and the erasure.',
  )
  .meta({ id: 'VerifiedEmailRequired' });
export type VerifiedEmailRequired = z.infer<typeof VerifiedEmailRequired>;

export const SiteSettings = z
  .object({
    layout: Layout,
    theme: Theme,
    map: MapSettings.optional().describe('Absent while the `map` feature is off.'),
    site: Site.optional().describe('Absent while the `site` feature is off.'),
    features: z.array(z.enum(features)).describe('The enabled features.'),
    sort_keys: z.array(z.enum(sortKeys)).describe('The values of `sort`; the first is the default.'),
    sort_aliases: z.record(z.string(), z.string()).describe('Aliases of `sort` with their canonical value.'),
    ranking: z
      .object({
        trending: z
          .object({ upvote: z.number(), comment: z.number(), rating: z.number(), tenfold_hours: z.number() })
          .describe(
            '`log10(max(1, weighted sum)) + hours since 1970 at publication / tenfold_hours`; the weights are those of the counts.',
          ),
        weighted_rating: z
          .object({ prior: z.number(), weight: z.number() })
          .describe('`(prior * weight + sum of ratings) / (weight + ratings)`.'),
      })
      .describe('How the computed orders are computed.'),
    plans: z.array(z.object({ id: Plan, price: Price, currency: z.string() })),
    promotion_prices: z
      .object({
        currency: z.string(),
        placements: z.array(
          z.object({
            placement: z.string(),
            price: Price.describe(`Per month, ${AMOUNT_UNIT}.`),
            slots: z.int().min(0).nullable().describe('How many promotions it shows at a time; null for any number.'),
          }),
        ),
        bundle_discount_percent: z
          .int()
          .min(0)
          .max(100)
          .describe(
            'The discount for all placements together. The price per month is rounded to an amount that Stripe charges in the currency.',
          ),
      })
      .optional()
      .describe('Absent while the `promotions` feature is off.'),
    sign_in: z
      .object({
        issuer: z.string().describe('The issuer of access tokens.'),
        client_id: z.string().nullable().describe('The client of the front end.'),
        authorization_endpoint: z
          .string()
          .nullable()
          .describe("Authorization code flow with PKCE. Null: see the issuer's discovery document."),
        token_endpoint: z.string().nullable().describe("Null: see the issuer's discovery document."),
        end_session_endpoint: z.string().nullable().describe("Null: see the issuer's discovery document."),
        scope: z.string().describe('The scopes of the authorization request, separated by blanks.'),
        parameters: z
          .record(z.string(), z.array(z.string()))
          .describe('Further parameters of the authorization request, each sent once for every value.'),
      })
      .describe('How a browser obtains an access token.'),
    limits: z.object({
      ...(Object.fromEntries(Object.keys(limits).map((name) => [name, z.int().min(0)])) as Record<
        keyof typeof limits,
        z.ZodInt
      >),
      live_edits: LiveEdits,
      verified_email_required: VerifiedEmailRequired,
    }),
  })
  .meta({ id: 'SiteSettings' });
export type SiteSettings = z.infer<typeof SiteSettings>;

/** The `max-age` of responses that depend on settings, in seconds. */
const CACHE_SECONDS = 1;

export const readPublic = defineRoute('settings.readPublic', {
  method: 'GET',
  path: '/api/settings',
  summary: 'Read the public settings',
  description: 'All that a front end needs at its start, in one response.',
  auth: 'public',
  tier: 'general',
  responses: { 200: data(SiteSettings) },
  permissions: ['table:query', 'sign-in'],
  cacheSeconds: CACHE_SECONDS,
});

export const readThemeCss = defineRoute('settings.readThemeCss', {
  method: 'GET',
  path: '/api/settings/theme.css',
  summary: 'Read the theme as a style sheet',
  description: 'Variables under `:root`, and those of the dark theme under `.dark`.',
  auth: 'public',
  tier: 'general',
  responses: { 200: { stream: false, contentType: 'text/css; charset=utf-8', description: 'CSS variables.' } },
  permissions: ['table:query'],
  cacheSeconds: CACHE_SECONDS,
});
