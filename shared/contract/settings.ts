import * as z from 'zod';
import { data } from './envelope.ts';
import { URL_MAX } from './fields.ts';
import { BULK_MAX, IMPORT_FILE_BYTES_MAX, MAP_ITEMS_MAX, Plan, sortKeys } from './projects.ts';
import { defineRoute, features } from './route.ts';
import { Theme, ThemeUpdate } from './theme.ts';

/** What of a project is shown somewhere. */
const Shown = z.object({
  showLogo: z.boolean().describe('Whether its logo is shown.'),
  showImage: z.boolean().describe('Whether its picture is shown.'),
});

/** How catalog cards and the page of a project look. */
export const Layout = z
  .object({ card: Shown.describe('Cards of the catalog.'), detail: Shown.describe('The page of a project.') })
  .meta({ id: 'Layout' });
export type Layout = z.infer<typeof Layout>;

export const LayoutUpdate = z
  .object({ card: Shown.partial().optional(), detail: Shown.partial().optional() })
  .meta({ id: 'LayoutUpdate' });
export type LayoutUpdate = z.infer<typeof LayoutUpdate>;

/** How the map looks when it is opened. */
export const MapSettings = z
  .object({
    defaultProjection: z.enum(['globe', 'mercator']),
    lighting: z.enum(['auto', 'dawn', 'day', 'dusk', 'night']),
  })
  .meta({ id: 'MapSettings' });
export type MapSettings = z.infer<typeof MapSettings>;

export const MapSettingsUpdate = MapSettings.partial().meta({ id: 'MapSettingsUpdate' });
export type MapSettingsUpdate = z.infer<typeof MapSettingsUpdate>;

const admin = { auth: 'admin', tier: 'admin' } as const;
const change = {
  ...admin,
  method: 'PUT',
  description: 'Partial, merged level by level; answers the whole setting. Takes effect within two seconds.',
  ifMatch: true,
  needs: ['table:get', 'table:write'],
} as const;

export const readLayout = defineRoute('settings.readLayout', {
  ...admin,
  method: 'GET',
  path: '/api/admin/layout',
  summary: 'Read what cards and pages show',
  replies: { 200: data(Layout) },
  needs: ['table:get'],
});

export const updateLayout = defineRoute('settings.updateLayout', {
  ...change,
  path: '/api/admin/layout',
  summary: 'Change what cards and pages show',
  body: LayoutUpdate,
  replies: { 200: data(Layout) },
});

export const readTheme = defineRoute('settings.readTheme', {
  ...admin,
  method: 'GET',
  path: '/api/admin/theme',
  summary: 'Read the colours and fonts',
  replies: { 200: data(Theme) },
  needs: ['table:get'],
});

export const updateTheme = defineRoute('settings.updateTheme', {
  ...change,
  path: '/api/admin/theme',
  summary: 'Change the colours and fonts',
  description: `${change.description} Null takes a colour or a shadow away.`,
  body: ThemeUpdate,
  replies: { 200: data(Theme) },
});

export const readMap = defineRoute('settings.readMap', {
  ...admin,
  method: 'GET',
  path: '/api/admin/map',
  summary: 'Read how the map looks',
  feature: 'map',
  replies: { 200: data(MapSettings) },
  needs: ['table:get'],
});

export const updateMap = defineRoute('settings.updateMap', {
  ...change,
  path: '/api/admin/map',
  summary: 'Change how the map looks',
  feature: 'map',
  body: MapSettingsUpdate,
  replies: { 200: data(MapSettings) },
});

const Price = z.int().min(0).describe('In the smallest unit of the currency, such as cents.');

/** The bounds that a form can tell its user before he meets them: lengths in characters, sizes in bytes. */
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
} as const;

/** All that a front end needs to know beside the listings. */
export const SiteSettings = z
  .object({
    layout: Layout,
    theme: Theme,
    map: MapSettings.optional().describe('Absent while the map is switched off.'),
    features: z.array(z.enum(features)).describe('What is switched on.'),
    sort_keys: z.array(z.enum(sortKeys)).describe('What `sort` takes; the first is the default.'),
    sort_aliases: z
      .record(z.string(), z.string())
      .describe('Other spellings that `sort` takes, with what they stand for.'),
    plans: z.array(z.object({ id: Plan, price: Price, currency: z.string() })),
    promotion_prices: z
      .object({
        currency: z.string(),
        placements: z.array(z.object({ placement: z.string(), price: Price.describe('For a month.') })),
        bundle_discount_percent: z.int().min(0).max(100).describe('What all placements together are cheaper by.'),
      })
      .optional()
      .describe('Absent while promotions are switched off.'),
    limits: z.object(
      Object.fromEntries(Object.keys(limits).map((name) => [name, z.int().min(0)])) as Record<
        keyof typeof limits,
        z.ZodInt
      >,
    ),
  })
  .meta({ id: 'SiteSettings' });
export type SiteSettings = z.infer<typeof SiteSettings>;

/** How long a shared cache may keep what a change of the settings alters, in seconds. */
const CACHE_SECONDS = 1;

export const readPublic = defineRoute('settings.readPublic', {
  method: 'GET',
  path: '/api/settings',
  summary: 'Read all that a front end needs to know',
  auth: 'public',
  tier: 'general',
  replies: { 200: data(SiteSettings) },
  needs: ['table:query'],
  cacheSeconds: CACHE_SECONDS,
});

export const readThemeCss = defineRoute('settings.readThemeCss', {
  method: 'GET',
  path: '/api/settings/theme.css',
  summary: 'Read the theme as a style sheet',
  description: 'Variables under `:root`, and those for dark surroundings under `.dark`.',
  auth: 'public',
  tier: 'general',
  replies: { 200: { stream: false, contentType: 'text/css; charset=utf-8', description: 'CSS variables.' } },
  needs: ['table:query'],
  cacheSeconds: CACHE_SECONDS,
});
