import * as z from 'zod';
import { data, URL_MAX } from './fields.ts';
import { IMPORT_FILE_BYTES_MAX } from './project-batches.ts';
import { BULK_MAX, MAP_ITEMS_MAX, Plan, sortKeys } from './projects.ts';
import { defineRoute, features } from './route.ts';
import { Theme, ThemeUpdate } from './theme.ts';

/** The visible parts of a project. */
const Shown = z.object({
  showLogo: z.boolean().describe('Whether the logo is shown.'),
  showImage: z.boolean().describe('Whether the image is shown.'),
});

/** The display settings of catalog cards and project pages. */
export const Layout = z
  .object({ card: Shown.describe('Cards of the catalog.'), detail: Shown.describe('The project page.') })
  .meta({ id: 'Layout' });
export type Layout = z.infer<typeof Layout>;

const ShownUpdate = z.object({ showLogo: z.boolean().nullish(), showImage: z.boolean().nullish() });

export const LayoutUpdate = z
  .object({ card: ShownUpdate.nullish(), detail: ShownUpdate.nullish() })
  .meta({ id: 'LayoutUpdate' });
export type LayoutUpdate = z.infer<typeof LayoutUpdate>;

/** The initial display of the map. */
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

const admin = { auth: 'admin', tier: 'admin', scopes: [], moderators: false } as const;
const change = {
  ...admin,
  method: 'PUT',
  description:
    'Partial, merged recursively; null resets a part to its default. Returns the whole setting. Takes effect within two seconds.',
  ifMatch: true,
  permissions: ['table:get', 'table:write'],
} as const;

export const readLayout = defineRoute('settings.readLayout', {
  ...admin,
  method: 'GET',
  path: '/api/admin/layout',
  summary: 'Read the layout',
  description: 'Public; changed by administrators.',
  replies: { 200: data(Layout) },
  permissions: ['table:get'],
});

export const updateLayout = defineRoute('settings.updateLayout', {
  ...change,
  path: '/api/admin/layout',
  summary: 'Update the layout',
  body: LayoutUpdate,
  replies: { 200: data(Layout) },
});

export const readTheme = defineRoute('settings.readTheme', {
  ...admin,
  method: 'GET',
  path: '/api/admin/theme',
  summary: 'Read the theme',
  description: 'Public; changed by administrators. Also available as CSS.',
  replies: { 200: data(Theme) },
  permissions: ['table:get'],
});

export const updateTheme = defineRoute('settings.updateTheme', {
  ...change,
  path: '/api/admin/theme',
  summary: 'Update the theme',
  description: `${change.description} Null removes a colour or a shadow that has no default.`,
  body: ThemeUpdate,
  replies: { 200: data(Theme) },
});

export const readMap = defineRoute('settings.readMap', {
  ...admin,
  method: 'GET',
  path: '/api/admin/map',
  summary: 'Read the map settings',
  description: 'Public; changed by administrators.',
  feature: 'map',
  replies: { 200: data(MapSettings) },
  permissions: ['table:get'],
});

export const updateMap = defineRoute('settings.updateMap', {
  ...change,
  path: '/api/admin/map',
  summary: 'Update the map settings',
  feature: 'map',
  body: MapSettingsUpdate,
  replies: { 200: data(MapSettings) },
});

const Price = z.int().min(0).describe('In the smallest unit of the currency, such as cents.');

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
} as const;

/** When edits of live projects by their owners are published. */
export const LiveEdits = z
  .enum(['immediate', 'review_material', 'review'])
  .describe(
    'Edits of live projects by their owners: published at once; name, URL, slug, logo and categories wait for approval; or all fields wait.',
  )
  .meta({ id: 'LiveEdits' });
export type LiveEdits = z.infer<typeof LiveEdits>;

/** The configuration of a front end. */
export const SiteSettings = z
  .object({
    layout: Layout,
    theme: Theme,
    map: MapSettings.optional().describe('Absent while the `map` feature is off.'),
    features: z.array(z.enum(features)).describe('The enabled features.'),
    sort_keys: z.array(z.enum(sortKeys)).describe('The values of `sort`; the first is the default.'),
    sort_aliases: z.record(z.string(), z.string()).describe('Aliases of `sort` with their canonical value.'),
    plans: z.array(z.object({ id: Plan, price: Price, currency: z.string() })),
    promotion_prices: z
      .object({
        currency: z.string(),
        placements: z.array(
          z.object({
            placement: z.string(),
            price: Price.describe('Per month.'),
            slots: z.int().min(0).nullable().describe('How many promotions it shows at a time; null for any number.'),
          }),
        ),
        bundle_discount_percent: z.int().min(0).max(100).describe('The discount for all placements together.'),
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
      })
      .describe('How a browser obtains an access token.'),
    limits: z.object({
      ...(Object.fromEntries(Object.keys(limits).map((name) => [name, z.int().min(0)])) as Record<
        keyof typeof limits,
        z.ZodInt
      >),
      live_edits: LiveEdits,
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
  replies: { 200: data(SiteSettings) },
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
  replies: { 200: { stream: false, contentType: 'text/css; charset=utf-8', description: 'CSS variables.' } },
  permissions: ['table:query'],
  cacheSeconds: CACHE_SECONDS,
});
