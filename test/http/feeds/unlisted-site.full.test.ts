import { expect, it } from 'vitest';
import { untilEventsDelivered } from '#test/support/events.ts';
import { person } from '#test/support/fixtures.ts';
import { OWN_SECRETS } from '#test/support/server.ts';
import { ownDirectory, ownReceiver } from '#test/support/with-directory.ts';

const receiver = await ownReceiver();
const { server, directory } = await ownDirectory({
  env: {
    ...OWN_SECRETS,
    SITE_URL: 'https://directory.example',
    SITE_INDEX: 'off',
    SITE_LANGUAGES: 'de,en',
    WEBHOOK_ALLOW_PRIVATE: 'on',
    INDEXNOW_KEY: 'unlisted-key',
    INDEXNOW_ENDPOINT: receiver.url,
  },
});

it('SITE_INDEX=off disallows everything in robots.txt, and the sitemap stays', async () => {
  const { body } = await server.call('GET', '/robots.txt');
  expect(String(body).split('\n').slice(0, 2)).toEqual(['User-agent: *', 'Disallow: /']);
  expect(String(body)).not.toContain('Allow:');
  expect(String((await server.call('GET', '/sitemap.xml')).body)).toContain(
    'https://directory.example/sitemaps/pages.xml',
  );
});

it('the sitemap has every page of each language once, and robots.txt hides the same pages of all', async () => {
  const locationsOf = async (path: string) =>
    [...String((await server.call('GET', path)).body).matchAll(/<loc>https:\/\/directory\.example(.*?)<\/loc>/g)].map(
      ([, one]) => one,
    );
  expect(await locationsOf('/sitemap.xml')).toEqual(['/sitemaps/pages.xml', '/sitemaps/en-pages.xml']);
  const paths = ['/projects', '/categories', '/map'];
  expect(await locationsOf('/sitemaps/pages.xml')).toEqual(['/', ...paths]);
  expect(await locationsOf('/sitemaps/en-pages.xml')).toEqual(['/en', ...paths.map((path) => `/en${path}`)]);
  for (const other of ['de-pages', 'fr-pages', 'en-1', 'xx-pages'])
    expect((await server.call('GET', `/sitemaps/${other}.xml`)).status).toBe(404);
});

it('the first language has no prefix, and is that of pages for speakers of others', async () => {
  const read = (path: string) => fetch(`http://localhost:${server.server.port}${path}`);
  const html = await (await read('/en')).text();
  expect(html).toContain('<html lang="en" ');
  expect(html).toContain('<link rel="alternate" hreflang="x-default" href="https://directory.example/">');
  expect(await (await read('/')).text()).toContain('<html lang="de" ');
  for (const path of ['/de', '/es', '/de/projects']) expect((await read(path)).status).toBe(404);
});

it.each(['/', '/projects', '/categories'])('SITE_INDEX=off keeps %s out of search engines', async (path) => {
  const text = String((await server.call('GET', path)).body);
  expect(text).toContain('<meta name="robots" content="noindex">');
  expect(text).toContain('<link rel="canonical" href="https://directory.example/');
});

it('SITE_INDEX=off reports no change to search engines', async () => {
  const { id } = await directory.live(await person(server));
  await directory.adminOk('PUT', `/api/projects/${id}`, { name: 'Another name' });
  await directory.adminOk('DELETE', `/api/projects/${id}`);
  await untilEventsDelivered(server, directory);
  expect(receiver.received).toEqual([]);
  expect(await server.call('GET', '/unlisted-key.txt')).toMatchObject({ status: 200, body: 'unlisted-key' });
});
