import { decodeJwt } from 'jose';
import { expect, it } from 'vitest';
import { features } from '#contract/route.ts';
import { settingKey } from '#data/keys.ts';
import { updateItem } from '#data/write.ts';
import { defaultSettings } from '#model/setting.ts';
import { dataOf, invalidAt, person, STALE, submission, success } from '#test/support/fixtures.ts';
import { ownDirectory } from '#test/support/with-directory.ts';
import { featureToSwitchOff } from '#test/support/without-feature.ts';

const env = { FEATURE_AI: 'on', SIGN_IN_PARAMETERS: 'audience=https%3A%2F%2Fapi.example&scope=orders' };
const defaults = defaultSettings('Directory');
const off = featureToSwitchOff(env);

const { server, directory } = await ownDirectory({ env });
const { admin } = directory;

const put = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  directory.as(admin, 'PUT', path, body, headers);

interface Site {
  readonly layout: unknown;
  readonly theme: { readonly colors: { readonly light: Record<string, string> } };
  readonly map?: unknown;
  readonly site?: unknown;
  readonly features: readonly string[];
}

const settings = (['layout', 'theme', 'map', 'site'] as const).filter((name) => name !== off);
const stored = (name: (typeof settings)[number]) => directory.get(`/api/admin/${name}`, admin);
/** The settings of a directory in which nothing is stored. */
const initial = Object.fromEntries(
  await Promise.all(settings.map(async (name) => [name, await stored(name)] as const)),
);

/** Resets every part of a setting to its default. */
const reset = async (name: (typeof settings)[number]) => {
  const nothing = Object.fromEntries(Object.keys(defaults[name]).map((part) => [part, null]));
  expect(await put(`/api/admin/${name}`, nothing)).toMatchObject({ status: 200 });
};

const site = async (): Promise<Site> => dataOf<Site>(await directory.get('/api/settings'));

it.each(settings)('the setting %s is the default until it is stored', (name) => {
  expect(initial[name]).toMatchObject(success(defaults[name]));
});

it('the layout of the site merges a partial update', async () => {
  await reset('layout');
  const changed = await put('/api/admin/layout', { card: { showImage: true } });
  const whole = { card: { showLogo: true, showImage: true }, detail: { showLogo: true, showImage: false } };
  expect(changed).toMatchObject(success(whole));
  expect((await directory.get('/api/admin/layout', admin)).body).toEqual({ data: whole });
  expect((await site()).layout).toMatchObject(whole);
});

it('the layout of the site ignores unknown members of an update', async () => {
  const response = await put('/api/admin/layout', { footer: { showLogo: true }, card: { colour: 'red' } });
  expect(response).toMatchObject({ status: 200 });
  expect(Object.keys(dataOf<object>(response))).toEqual(['card', 'detail']);
});

it('the layout of the site returns 412 to one of two concurrent updates with the same If-Match', async () => {
  const tag = (await directory.get('/api/admin/layout', admin)).headers.get('etag') ?? '';
  const save = (showLogo: boolean) => put('/api/admin/layout', { card: { showLogo } }, { 'if-match': tag });
  const responses = await Promise.all([save(true), save(false)]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 412]);
  expect(await put('/api/admin/layout', {}, { 'if-match': tag })).toMatchObject(STALE);
  const fresh = responses.find(({ status }) => status === 200)?.headers.get('etag') ?? '';
  expect(await put('/api/admin/layout', {}, { 'if-match': fresh })).toMatchObject({ status: 200 });
  expect(await put('/api/admin/layout', {}, { 'if-match': '*' })).toMatchObject({ status: 200 });
});

it('the layout of the site loses no part of concurrent updates', async () => {
  const responses = await Promise.all([
    put('/api/admin/layout', { card: { showLogo: false } }),
    put('/api/admin/layout', { card: { showImage: false } }),
    put('/api/admin/layout', { detail: { showLogo: true } }),
    put('/api/admin/layout', { detail: { showImage: false } }),
  ]);
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  expect((await directory.get('/api/admin/layout', admin)).body).toEqual({
    data: { card: { showLogo: false, showImage: false }, detail: { showLogo: true, showImage: false } },
  });
});

it('the theme of the site merges an update level by level, and null deletes an entry', async () => {
  await reset('theme');
  const changed = await put('/api/admin/theme', {
    colors: { light: { primary: ' 10  20.5%   30% ', brand: '350 80% 40%' }, dark: { brand: '350 80% 60%' } },
    fonts: { sans: 'Inter, "Helvetica Neue", sans-serif' },
    radius: '0',
    shadows: { xl: '0 1px 3px 0 rgb(0 0 0 / 0.1), inset 0 -1px 0 #fff', md: 'none' },
  });
  expect(changed).toMatchObject(
    success({
      colors: {
        light: { ...defaults.theme.colors.light, primary: '10 20.5% 30%', brand: '350 80% 40%' },
        dark: { ...defaults.theme.colors.dark, brand: '350 80% 60%' },
      },
      fonts: { ...defaults.theme.fonts, sans: 'Inter, "Helvetica Neue", sans-serif' },
      radius: '0',
      shadows: { ...defaults.theme.shadows, xl: '0 1px 3px 0 rgb(0 0 0 / 0.1), inset 0 -1px 0 #fff', md: 'none' },
    }),
  );
  const without = await put('/api/admin/theme', { colors: { light: { brand: null } }, shadows: { xl: null } });
  expect(dataOf<Site['theme']>(without).colors.light).not.toHaveProperty('brand');
  expect(dataOf<object>(without)).toMatchObject({ colors: { dark: { brand: '350 80% 60%' } } });
  expect(dataOf<{ shadows: object }>(without).shadows).not.toHaveProperty('xl');
});

it('the theme of the site is returned as a style sheet of variables, changed without a restart', async () => {
  const theme = {
    colors: { light: { primary: '120 50% 50%' }, dark: { primary: '120 50% 70%' } },
    radius: '4px',
  };
  expect(await put('/api/admin/theme', theme)).toMatchObject({ status: 200 });
  const response = await directory.ok(undefined, 'GET', '/api/settings/theme.css');
  expect(response.headers.get('content-type')).toBe('text/css; charset=utf-8');
  const css = String(response.body);
  const [light = '', dark = ''] = css.split('\n\n');
  expect(light).toMatch(/^:root \{\n(?: {2}--[a-z0-9-]+: [^;{}<>\\@]+;\n)+\}$/);
  expect(light).toContain('  --primary: 120 50% 50%;');
  expect(light).toContain('  --radius: 4px;');
  expect(light).toMatch(/--font-sans: .+;/);
  expect(light).toMatch(/--shadow-sm: .+;/);
  expect(dark).toMatch(/^\.dark \{\n(?:.*\n)*? {2}--primary: 120 50% 70%;/);

  const etag = response.headers.get('etag') ?? '';
  expect((await directory.get('/api/settings/theme.css', undefined, { 'if-none-match': etag })).status).toBe(304);
  expect(await put('/api/admin/theme', { radius: '6px' })).toMatchObject({ status: 200 });
  const changed = await directory.get('/api/settings/theme.css', undefined, { 'if-none-match': etag });
  expect(changed.status).toBe(200);
  expect(String(changed.body)).toContain('--radius: 6px;');
});

it.each([
  ['theme', { colors: { light: { primary: '0 0% 10%' } } }, '0 0% 10%'],
  ['site', { name: 'Atlas of Everything' }, 'Atlas of Everything'],
] as const)('pages show another %s without a restart', async (name, update, shown) => {
  const paths = ['/', '/projects', '/categories'];
  for (const path of paths) expect(String((await directory.get(path)).body)).not.toContain(shown);
  expect(await put(`/api/admin/${name}`, update)).toMatchObject({ status: 200 });
  await server.until(async () => {
    const pages = await Promise.all(paths.map((path) => directory.get(path)));
    return pages.every(({ body }) => String(body).includes(shown));
  });
  await reset(name);
});

it.each<[path: string, bodyOf: (value: unknown) => object, ...values: unknown[]]>([
  [
    'colors.light.primary',
    (primary) => ({ colors: { light: { primary } } }),
    ...['red', '#fff', '361 10% 10%', '10 101% 10%', '10 10 10', '1 2% 3%;}', 'var(--x)', '10 10% 10% / 0.5', ''],
    ...[7, '1 2% 3%/**/', '１ ２% ３%'],
  ],
  [
    'fonts.sans',
    (sans) => ({ fonts: { sans } }),
    ...['', 'Inter;', 'Inter}', 'url(x)', 'a, , b', '"open', '\'mixed"', 'x\\y', 'a/*b*/', '<style>', 'a:b', '@import'],
    ...['Inter, "a;b"', '"a\nb"', 3],
  ],
  [
    'radius',
    (radius) => ({ radius }),
    ...['1', 'big', '1px;', '1px}', 'calc(1px)', '-1px', '1 px', 'url(x)', '', 5, 'expression(1)'],
  ],
  [
    'shadows.xl',
    (xl) => ({ shadows: { xl } }),
    ...['url(x) 1px 1px', '1px', '1px 1px 1px 1px 1px', '1px 1px; color: red', '1px 1px red blue', '1px 1px }'],
    ...['inset inset 1px 1px', '1px 1px /* */', '1px 1px rgb(0 0 0', '1px 1px \\65', '1px 1px rgb(0;0)', '1px,', ''],
    ...['1px 1px expression(1)', '1px 1px image(x)', '1px 1px @x', '1px 1px hsl(var(--x;y))', '1px 1px <b>', 9],
  ],
  ['colors.light', (light) => ({ colors: { light } }), []],
  ['colors', (colors) => ({ colors }), 'blue'],
  ['shadows.Not A Name', (value) => ({ shadows: { 'Not A Name': value } }), 'none'],
])('the theme of the site rejects invalid values at %s and changes nothing', async (path, bodyOf, ...values) => {
  const before = await directory.get('/api/admin/theme', admin);
  for (const value of values)
    expect([value, await put('/api/admin/theme', bodyOf(value))]).toMatchObject([value, invalidAt(...path.split('.'))]);
  expect(await directory.get('/api/admin/theme', admin)).toMatchObject({ body: before.body });
});

it('the theme of the site rejects names of colours that are no CSS identifiers, are reserved or too long', async () => {
  const names = [
    'Primary',
    'a b',
    '-x',
    'x-',
    'a--b',
    'x;',
    '}',
    'radius',
    'font-sans',
    'shadow-sm',
    '__proto__x',
    'ä',
  ];
  for (const name of [...names, 'x'.repeat(90)]) {
    const body = { colors: { dark: { [name]: '1 2% 3%' } } };
    expect(await put('/api/admin/theme', body)).toMatchObject(invalidAt('colors', 'dark', name));
  }
});

it('the theme of the site accepts shadows and fonts of CSS', async () => {
  const shadows = ['0 1px 2px 0 rgba(0, 0, 0, 0.05)', 'inset 0 0 0 1px hsl(var(--border) / 0.5)', '0 0 #000', 'none'];
  for (const md of [...shadows, '.5px -1px 2rem 0.25em black, 0 0 1px hsl(222 47% 11% / 20%)'])
    expect(await put('/api/admin/theme', { shadows: { md } })).toMatchObject(success({ shadows: { md } }));
  const fonts = [
    'Inter',
    "'Source Serif 4', Georgia, serif",
    '-apple-system, BlinkMacSystemFont',
    '"Noto Sans 日本語"',
  ];
  for (const serif of fonts)
    expect(await put('/api/admin/theme', { fonts: { serif } })).toMatchObject(success({ fonts: { serif } }));
});

it('the theme of the site limits the number of colours, over several updates too', async () => {
  await reset('theme');
  const some = (prefix: string, count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`${prefix}${n}`, '1 2% 3%']));
  expect(await put('/api/admin/theme', { colors: { light: some('a', 65) } })).toMatchObject(
    invalidAt('colors', 'light'),
  );
  expect(await put('/api/admin/theme', { colors: { light: some('b', 40) } })).toMatchObject({ status: 200 });
  expect(await put('/api/admin/theme', { colors: { light: some('c', 40) } })).toMatchObject(
    invalidAt('colors', 'light'),
  );
});

it('the settings of the map begin with the globe and merge a partial update', async () => {
  await reset('map');
  expect(initial.map).toMatchObject(success({ defaultProjection: 'globe', lighting: 'auto' }));
  expect(await put('/api/admin/map', { lighting: 'dusk' })).toMatchObject(
    success({ defaultProjection: 'globe', lighting: 'dusk' }),
  );
  expect((await site()).map).toEqual({ defaultProjection: 'globe', lighting: 'dusk' });
});

it('the name and the texts of the site merge member by member and are public', async () => {
  await reset('site');
  const links = [{ label: 'Status', url: 'https://status.example.com' }];
  await put('/api/admin/site', { tagline: 'Tools that last', links });
  const whole = {
    ...defaults.site,
    tagline: 'Tools that last',
    links,
    texts: { ...defaults.site.texts, about: '**Hi**' },
  };
  expect(await put('/api/admin/site', { texts: { about: ' **Hi** ' } })).toMatchObject(success(whole));
  expect((await directory.get('/api/admin/site', admin)).body).toEqual({ data: whole });
  expect((await site()).site).toEqual(whole);
});

it.each<[path: string, update: object]>([
  ['name', { name: 'x'.repeat(101) }],
  ['tagline', { tagline: 'x'.repeat(201) }],
  ['description', { description: 'x'.repeat(501) }],
  ['image_url', { image_url: 'javascript:alert(1)' }],
  ['listing_type', { listing_type: 'Person' }],
  ['links', { links: Array.from({ length: 9 }, () => ({ label: 'a', url: 'https://example.com' })) }],
  ['links.0.url', { links: [{ label: 'a', url: 'javascript:alert(1)' }] }],
  ['links.0.label', { links: [{ label: '', url: 'https://example.com' }] }],
  ...['about', 'imprint', 'privacy', 'terms'].map((name): [string, object] => [
    `texts.${name}`,
    { texts: { [name]: 'x'.repeat(20_001) } },
  ]),
])('the site rejects a value out of bounds at %s and changes nothing', async (path, update) => {
  const before = await directory.get('/api/admin/site', admin);
  expect(await put('/api/admin/site', { tagline: 'Not stored', ...update })).toMatchObject(
    invalidAt(...path.split('.')),
  );
  expect((await directory.get('/api/admin/site', admin)).body).toEqual(before.body);
});

it('the site stores texts of the greatest length in all characters', async () => {
  const text = '🦀'.repeat(20_000);
  for (const name of ['about', 'imprint', 'privacy', 'terms']) {
    expect([name, (await put('/api/admin/site', { texts: { [name]: text } })).status]).toEqual([name, 200]);
  }
  await reset('site');
});

it('the public settings name the issuer, the client and the addresses of sign-in, which answer', async () => {
  const { sign_in } = dataOf<{ sign_in: Record<string, string | null> }>(await directory.get('/api/settings'));
  const origin = `http://localhost:${server.server.port}`;
  expect(sign_in).toEqual({
    issuer: `${origin}/_local`,
    client_id: 'directory-local',
    authorization_endpoint: null,
    token_endpoint: `${origin}/_local/token`,
    end_session_endpoint: null,
    scope: 'openid email profile orders',
    parameters: { audience: ['https://api.example'] },
  });
  const issued = await server.call('POST', '/_local/token', { body: { email: 'ada@example.com' } });
  expect(issued.status).toBe(200);
  const { iss, client_id } = decodeJwt((issued.body as { access_token: string }).access_token);
  expect({ iss, client_id }).toEqual({ iss: sign_in.issuer, client_id: sign_in.client_id });
  expect(await server.call('GET', '/_local/.well-known/openid-configuration')).toMatchObject({
    status: 200,
    body: { issuer: sign_in.issuer, token_endpoint: sign_in.token_endpoint },
  });
  expect((await server.call('GET', '/_local')).status).toBe(200);
});

it('the public settings contain the configuration of front ends and are cacheable', async () => {
  if (off !== 'map') expect(await put('/api/admin/map', { lighting: 'dusk' })).toMatchObject({ status: 200 });
  const response = await directory.ok(undefined, 'GET', '/api/settings');
  expect(response.headers.get('cache-control')).toMatch(/^public, max-age=[12]$/);
  expect(response.body).toMatchObject({
    data: {
      layout: { card: { showLogo: expect.any(Boolean) as boolean } },
      theme: { fonts: { mono: expect.any(String) as string } },
      ...(off !== 'map' && { map: { lighting: 'dusk' } }),
      features: features.filter((feature) => feature !== off),
      sort_keys: ['newest', 'oldest', 'upvotes', 'rating', 'views', 'name', 'trending', 'weighted_rating', 'relevance'],
      ranking: {
        trending: { upvote: 1, comment: 3, rating: 2, tenfold_hours: 12.5 },
        weighted_rating: { prior: 3, weight: 5 },
      },
      plans: [
        { id: 'standard', price: 0, currency: 'usd' },
        { id: 'premium', price: 4900, currency: 'usd' },
      ],
      ...(off !== 'promotions' && {
        promotion_prices: {
          currency: 'usd',
          placements: [
            { placement: 'banner', price: 6900, slots: 1 },
            { placement: 'catalog', price: 3900, slots: null },
            { placement: 'detail', price: 1900 },
          ],
          bundle_discount_percent: 30,
        },
      }),
      limits: { page_size_default: 40, page_size_max: 100, categories_max: 5, description_length_max: 500 },
    },
  });
  const again = await directory.get('/api/settings', undefined, {
    'if-none-match': response.headers.get('etag') ?? '',
  });
  expect(again.status).toBe(304);
});

it('the public settings list sort keys and aliases that lists accept', async () => {
  const { sort_keys, sort_aliases } = dataOf<{ sort_keys: string[]; sort_aliases: Record<string, string> }>(
    await directory.get('/api/settings'),
  );
  for (const key of [...sort_keys, ...Object.keys(sort_aliases)]) {
    expect([key, (await directory.get(`/api/projects?sort=${key}`)).status]).toEqual([key, 200]);
  }
});

it('the public settings list the limits that submissions are validated with', async () => {
  const { limits } = dataOf<{ limits: Record<string, number> }>(await directory.get('/api/settings'));
  const user = await person(server);
  const submit = (fields: object) =>
    directory.as(user, 'POST', '/api/projects', submission({ categories: [directory.category], ...fields }));
  for (const [field, limit] of [
    ['name', 'name_length_max'],
    ['description', 'description_length_max'],
    ['long_description', 'long_description_length_max'],
  ] as const) {
    const max = limits[limit] ?? 0;
    expect([field, (await submit({ [field]: 'x'.repeat(max) })).status]).toEqual([field, 201]);
    expect([field, (await submit({ [field]: 'x'.repeat(max + 1) })).status]).toEqual([field, 400]);
  }
});

const { layout, theme, map, site: standardSite } = defaults;
const changed = {
  '/api/admin/layout': { card: { showLogo: false, showImage: true }, detail: { showLogo: false, showImage: true } },
  '/api/admin/theme': {
    colors: { light: { primary: '1 2% 3%', brand: '4 5% 6%' }, dark: { primary: '7 8% 9%' } },
    fonts: { sans: 'Inter', mono: 'Menlo' },
    radius: '2px',
    shadows: { md: 'none', xl: 'none' },
  },
  '/api/admin/map': { defaultProjection: 'mercator', lighting: 'night' },
  '/api/admin/site': {
    name: 'Atlas',
    tagline: 'Places worth a detour',
    description: 'A directory of places.',
    image_url: 'https://example.com/share.png',
    listing_type: 'LocalBusiness',
    links: [{ label: 'Source', url: 'https://example.com/source' }],
    texts: { about: '# About', imprint: 'Us', privacy: 'Little', terms: 'Few' },
  },
} as const;
const atlas = changed['/api/admin/site'];
const cases: readonly (readonly [path: keyof typeof changed, update: object, expected: object])[] = [
  ['/api/admin/layout', { card: { showImage: null } }, { card: { showLogo: false, showImage: false } }],
  ['/api/admin/layout', { card: null }, { card: layout.card, detail: { showLogo: false, showImage: true } }],
  ['/api/admin/layout', { card: null, detail: null }, layout],
  ['/api/admin/theme', { radius: null }, { radius: theme.radius, fonts: { sans: 'Inter' } }],
  ['/api/admin/theme', { fonts: { sans: null } }, { fonts: { sans: theme.fonts.sans, mono: 'Menlo' }, radius: '2px' }],
  ['/api/admin/theme', { fonts: null }, { fonts: theme.fonts, radius: '2px' }],
  [
    '/api/admin/theme',
    { colors: { light: { primary: null } } },
    { colors: { light: { ...theme.colors.light, brand: '4 5% 6%' }, dark: { primary: '7 8% 9%' } } },
  ],
  ['/api/admin/theme', { shadows: { md: null } }, { shadows: { ...theme.shadows, xl: 'none' } }],
  ['/api/admin/theme', { colors: null, fonts: null, radius: null, shadows: null }, theme],
  ['/api/admin/map', { lighting: null }, { defaultProjection: 'mercator', lighting: map.lighting }],
  ['/api/admin/map', { defaultProjection: null, lighting: null }, map],
  ['/api/admin/site', { name: null }, { ...atlas, name: 'Directory' }],
  ['/api/admin/site', { name: '', image_url: '' }, { ...atlas, name: 'Directory', image_url: null }],
  ['/api/admin/site', { texts: { terms: null } }, { ...atlas, texts: { ...atlas.texts, terms: '' } }],
  [
    '/api/admin/site',
    {
      name: null,
      tagline: null,
      description: null,
      image_url: null,
      listing_type: null,
      links: null,
      texts: null,
    },
    standardSite,
  ],
];

it.each(cases)('null in a setting resets a part to its default: %s %j', async (path, update, expected) => {
  expect(await put(path, changed[path])).toMatchObject({ status: 200 });
  const response = await put(path, update);
  expect(response).toMatchObject(success(expected));
  // The response is the whole setting, and custom colours and shadows are gone when the whole part is reset.
  expect(response.body).toEqual((await directory.get(path, admin)).body);
  if (expected === theme) expect(response.body).toEqual({ data: theme });
});

it('a setting that an earlier version has stored as a map is read and changed', async () => {
  await reset('layout');
  const { card, detail } = defaults.layout;
  const read = { card: { ...card, showImage: true }, detail };
  await updateItem(settingKey('layout'), { set: { value: read } });
  expect(await stored('layout')).toMatchObject(success(read));
  expect(await put('/api/admin/layout', { detail: { showLogo: false } })).toMatchObject({ status: 200 });
  expect(await stored('layout')).toMatchObject(success({ ...read, detail: { ...detail, showLogo: false } }));
});
