import { beforeAll, expect, it } from 'vitest';
import { fullSubmission, person, unique } from '#test/support/fixtures.ts';
import { sharedDirectory, type TestContext } from '#test/support/with-directory.ts';
import { messages } from '../../../site/messages.ts';

/** The pages in the languages of the interface, on a server with all of them; English is the first. */

let context: TestContext;
let listing: { readonly id: string; readonly slug: string };
const name = unique('Tagebuch');

beforeAll(async () => {
  context = await sharedDirectory();
  const { directory } = context;
  await directory.adminOk('PUT', '/api/admin/site', { texts: { about: 'About.', terms: 'Terms.' } });
  listing = await directory.live(
    directory.admin,
    fullSubmission({ name, categories: [directory.category], logo_url: null, screenshots: [] }),
  );
});

const read = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  fetch(`${context.server.url}${path}`, { redirect: 'manual', headers });

const textOf = async (path: string): Promise<string> => (await read(path)).text();

const siteUrl = (html: string): string => /<link rel="canonical" href="(https?:\/\/[^/"]+)/.exec(html)?.[1] ?? '';

const pages = [
  ['/', '', 'home.trending'],
  ['/projects', undefined, 'list.filters'],
  ['/projects/LISTING', undefined, 'project.visit'],
  ['/categories', undefined, 'nav.categories'],
  ['/categories/CATEGORY', undefined, 'list.filters'],
  ['/map', undefined, 'map.title'],
  ['/submit', undefined, 'submit.title'],
  ['/me', undefined, 'me.signedOut'],
  ['/sign-in', undefined, 'signIn.why'],
  ['/checkout/success', undefined, 'checkout.success.title'],
  ['/checkout/cancel', undefined, 'checkout.cancel.title'],
  ['/about', undefined, 'footer.about'],
  ['/legal/terms', undefined, 'footer.terms'],
] as const;

const known = (path: string): string =>
  path.replace('LISTING', listing.slug).replace('CATEGORY', context.directory.category);

it.each(
  (['de', 'es', 'fr'] as const).flatMap((language) =>
    pages.map(([path, rest = path, key]) => [language, path, rest, key] as const),
  ),
)('%s has the page %s', async (language, path, rest, key) => {
  const response = await read(known(`/${language}${rest}`), { 'accept-language': 'en' });
  expect(response.status).toBe(200);
  const html = await response.text();
  expect(html).toMatch(new RegExp(`<html lang="${language}" dir="ltr" data-api="/api" data-home="/${language}">`));
  expect(html).toContain(messages[language][key]);
  // Links to pages stay in the language, but those to other languages and to what is no page.
  const [body = ''] = /<body>.*?(?=<nav aria-label="[^"]*"><a[^>]* data-language)/s.exec(html) ?? [];
  const links = [...body.matchAll(/<(?:a|form)\b[^>]* (?:href|action)="(\/[^"]*)"/g)].map(([, one = '']) => one);
  expect(links.length).toBeGreaterThan(8);
  for (const link of links) expect(link).toMatch(new RegExp(`^/(?:${language}(?:[/?#]|$)|console$|docs$|feed\\.xml$)`));
  const canonical = /<link rel="canonical" href="([^"]+)">/.exec(html)?.[1];
  const inEnglish = /<link rel="canonical" href="([^"]+)">/.exec(await textOf(known(path)))?.[1];
  expect(canonical === undefined).toBe(inEnglish === undefined);
  if (canonical === undefined) return;
  const origin = siteUrl(html);
  expect(canonical).toBe(`${origin}${known(`/${language}${rest}`)}`);
  const alternates = [...html.matchAll(/<link rel="alternate" hreflang="([^"]+)" href="([^"]+)">/g)];
  expect(alternates.map(([, lang, href]) => [lang, href])).toEqual([
    ['en', `${origin}${known(path)}`],
    ...['de', 'es', 'fr'].map((lang) => [lang, `${origin}${known(`/${lang}${rest}`)}`]),
    ['x-default', `${origin}${known(path)}`],
  ]);
  for (const [address] of html.matchAll(/"(?:item|url)":"[^"]*\/(?:projects|categories)\/[^"]*"/g))
    expect(address).toContain(`/${language}/`);
});

it('the bytes of a page do not depend on the language that the caller prefers', async () => {
  const [plain, german] = await Promise.all([textOf('/categories'), read('/categories', { 'accept-language': 'de' })]);
  expect(await german.text()).toBe(plain);
});

it('the links to other languages keep the page and its query', async () => {
  const html = await textOf(
    `/de/categories/${context.directory.category}?pricing=free&filter[x]=1&page=1&utm_source=x`,
  );
  const links = [...html.matchAll(/<a href="([^"]+)" hreflang="(\w+)" lang="\w+"([^>]*) data-language/g)];
  const query = new URLSearchParams({ pricing: 'free', page: '1', 'filter[x]': '1' })
    .toString()
    .replaceAll('&', '&amp;');
  expect(links.map(([, href, lang, more]) => [lang, href, more])).toEqual(
    ['en', 'de', 'es', 'fr'].map((lang) => [
      lang,
      `${lang === 'en' ? '' : `/${lang}`}/categories/${context.directory.category}?${query}`,
      ` rel="nofollow"${lang === 'de' ? ' aria-current="true"' : ''}`,
    ]),
  );
});

it.each([
  ['/de/projects?page=1', '/de/projects'],
  ['/es/projects/ID', '/es/projects/SLUG'],
  ['/fr/categories/CATEGORY?page=1', '/fr/categories/CATEGORY'],
])('%s is moved within its language', async (from, to) => {
  const path = (text: string) => known(text.replace('ID', listing.id).replace('SLUG', listing.slug));
  const response = await read(path(from));
  expect([response.status, response.headers.get('location')]).toEqual([301, path(to)]);
});

it.each([
  ['/de/projects/no-such-listing', 404, 'de'],
  ['/es/projects?pricing=expensive', 400, 'es'],
  ['/fr/projects?page=100000', 404, 'fr'],
  ['/de/nothing', 404, 'de'],
  ['/fr/nothing/here/at/all', 404, 'fr'],
  ['/en/projects', 404, 'en'],
  ['/it/projects', 404, 'en'],
  ['/de/assets/main.css', 404, 'de'],
  ['/de/api/projects', 404, 'de'],
])('%s is a page with %d in its language', async (path, status, language) => {
  const response = await read(path, { accept: 'text/html' });
  const html = await response.text();
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(html).toContain(`<html lang="${language}" `);
  expect(html).toContain('<meta name="robots" content="noindex">');
  const key = status === 400 ? 'list.filters' : 'error.404.title';
  expect(html).toContain(messages[language as 'de'][key]);
});

it('an unknown address of a language is JSON unless a page is asked for', async () => {
  const response = await read('/de/nothing');
  expect([response.status, response.headers.get('content-type')]).toEqual([404, 'application/json; charset=utf-8']);
});

it('numbers, dates and counts are written as in the language', async () => {
  const { directory } = context;
  const { id, slug } = await directory.live(directory.admin);
  for (const rating of [4, 5]) {
    const user = rating === 4 ? directory.admin : await person(context.server);
    await directory.ok(user, 'POST', `/api/projects/${id}/ratings`, { rating });
  }
  expect(await textOf(`/projects/${slug}`)).toContain('4.5 of 5 from 2 ratings');
  expect(await textOf(`/de/projects/${slug}`)).toContain('4,5 von 5 aus 2 Bewertungen');
  expect(await textOf(`/es/projects/${slug}`)).toContain('4,5 de 5 con 2 valoraciones');
  const french = await textOf(`/fr/projects/${slug}`);
  expect(french).toContain('4,5 sur 5 pour 2 notes');
  const published = (await directory.read(id)).published_at ?? '';
  expect(french).toContain(
    new Intl.DateTimeFormat('fr', { dateStyle: 'long', timeZone: 'UTC' }).format(new Date(published)),
  );
});

it('feeds have no language: their links lead to pages of the first one', async () => {
  const feed = await textOf(`/feed.json?category=${context.directory.category}`);
  const { items } = JSON.parse(feed) as { items: { url: string }[] };
  expect(items.map(({ url }) => new URL(url).pathname)).toContain(`/projects/${listing.slug}`);
});
