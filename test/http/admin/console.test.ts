import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { consoleFolder } from '#lib/console.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';

const { server } = await sharedDirectory();

const addressesIn = (page: unknown): string[] =>
  [...String(page).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);

it('the console is one page at /console and at every word below it, whose assets have relative addresses', async () => {
  const root = await server.call('GET', '/console');
  const page = await server.call('GET', '/console/queue');
  expect([root.status, page.status]).toEqual([200, 200]);
  expect(root.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(page.headers.get('cache-control')).toBe('no-cache');
  const resolve = (path: string, body: unknown) =>
    addressesIn(body).map((address) => new URL(address, `https://api.example/prod${path}`).pathname);
  // The imports of the script are preloaded.
  expect(addressesIn(root.body)).toEqual(
    expect.arrayContaining(['icon', 'styles', 'main', 'chunk'].map((name) => expect.stringContaining(`/${name}-`))),
  );
  expect(resolve('/console', root.body)).toEqual(resolve('/console/queue', page.body));
  expect(resolve('/console', root.body).join(' ')).toMatch(/^(?:\/prod\/console\/[\w-]+\.(?:js|css|svg) ?)+$/);
});

it.each(['nowhere', 'Queue', 'no-such'])(
  'the console is also the page at an address that it does not know, with status 404: %s',
  async (name) => {
    const { status, headers, body } = await server.call('GET', `/console/${name}`);
    expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
    expect(body).toBe((await server.call('GET', '/console/queue')).body);
  },
);

it.each(['/console', '/docs', '/console/listings', '/console/queue/x'])(
  'the console is also found with a slash at the end, and its assets from there: %s',
  async (path) => {
    const { status, body } = await server.call('GET', `${path}/?open=x`);
    expect(status).toBe(200);
    const assets = addressesIn(body).map((address) => new URL(address, `http://host${path}/`).pathname);
    const known = addressesIn((await server.call('GET', path)).body);
    expect(assets).toEqual(known.map((address) => new URL(address, `http://host${path}`).pathname));
    for (const asset of assets) expect([asset, (await server.call('GET', asset)).status]).toEqual([asset, 200]);
  },
);

it.each(['/console/queue', '/docs'])(
  'the console permits scripts and styles of its own only, and no frame: %s',
  async (path) => {
    const { headers, body } = await server.call('GET', path);
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'self'; img-src 'self' https: data:; " +
        `connect-src 'self' http://localhost:${server.server.port}; ` +
        "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    );
    expect(String(body)).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\son\w+=|style=/);
  },
);

it('the console has the API reference beside it, whose assets are its files', async () => {
  const { status, headers, body } = await server.call('GET', '/docs');
  expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(headers.get('cache-control')).toBe('no-cache');
  const assets = addressesIn(body).filter((address) => address.startsWith('console/'));
  expect(assets).toEqual(
    expect.arrayContaining(
      ['icon', 'reference-styles', 'reference'].map((name) => expect.stringContaining(`/${name}-`)),
    ),
  );
  for (const address of assets) {
    const asset = await server.call('GET', `/${address}`);
    expect([address, asset.status]).toEqual([address, 200]);
    // API Gateway receives the response of a function as JSON, of at most 6 MB.
    expect(JSON.stringify(asset.body).length).toBeLessThan(4_000_000);
  }
});

it('the console serves its files for ever, each with its type, and no other file', async () => {
  const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml' };
  const files = readdirSync(consoleFolder).filter((file) => !file.endsWith('.html'));
  for (const [extension, type] of Object.entries(types)) {
    const file = files.find((name) => name.endsWith(`.${extension}`));
    const { status, headers } = await server.call('GET', `/console/${file}`);
    expect([status, headers.get('content-type')]).toEqual([200, type]);
    expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  }
  for (const name of ['missing.js', 'page-0.html', 'reference-0.html', '..%2Fconsole.json', 'a%2Fb', '%00.js']) {
    expect(await server.call('GET', `/console/${name}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  }
});

it('the console answers an address below a page with itself, and a missing file with an error', async () => {
  for (const path of ['/console/queue/x', '/console/no/such']) {
    const { status, headers, body } = await server.call('GET', path);
    expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
    for (const [, address = ''] of String(body).matchAll(/(?:href|src)="([^"]+)"/g)) {
      const asset = new URL(address, `http://host${path}`).pathname;
      expect([address, (await server.call('GET', asset)).status]).toEqual([address, 200]);
    }
  }
  const missing = await server.call('GET', '/console/queue/missing.js');
  expect(missing).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});
