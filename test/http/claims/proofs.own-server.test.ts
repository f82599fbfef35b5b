import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import type { Claim, ClaimMethod } from '#contract/claims.ts';
import {
  conflict,
  dataOf,
  type Person,
  person,
  type Submitted,
  success,
  TIME,
  unique,
} from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { ownNameServer } from '#test/support/name-server.ts';
import { ownDirectory } from '#test/support/with-directory.ts';

/** How the service looks for the proof of a claim, with a name server and sites on this machine. */

type Reply = (response: ServerResponse) => void;

const pages = new Map<string, Reply>();
let requested: string[] = [];
const site = createServer((request, response) => {
  const address = `${request.headers.host?.replace(/:\d+$/, '')}${request.url}`;
  requested.push(address);
  const reply = pages.get(address);
  if (reply) reply(response);
  else response.writeHead(404).end('There is no such page.');
});
site.listen(0, '127.0.0.1');
await once(site, 'listening');
const { port } = site.address() as AddressInfo;
afterAll(() => {
  site.closeAllConnections();
  site.close();
});
beforeEach(() => {
  pages.clear();
  requested = [];
});

const names = await ownNameServer();
const { server, directory } = await ownDirectory({
  env: { WEBHOOK_ALLOW_PRIVATE: 'on', CLAIM_DNS_SERVER: names.address },
});

const LOOPBACK = ['127.0.0.1'];
const html =
  (text: string, status = 200): Reply =>
  (response) =>
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(text);
const plain =
  (text: string): Reply =>
  (response) =>
    response.writeHead(200, { 'content-type': 'text/plain' }).end(text);
const redirect =
  (location: string): Reply =>
  (response) =>
    response.writeHead(302, { location }).end();

interface Opened {
  readonly claim: Claim;
  readonly user: Person;
  readonly host: string;
  readonly value: string;
  readonly listing: Submitted;
  readonly verify: () => ReturnType<typeof directory.as>;
}

/** A user's claim of another user's listing on a host of its own. */
const claimed = async (method: ClaimMethod, { prefix = '', path = '/' } = {}): Promise<Opened> => {
  const host = `${unique('shop')}.test`;
  const listing = await directory.live(await person(server), { url: `http://${prefix}${host}:${port}${path}` });
  const user = await person(server);
  const claims = `/api/projects/${listing.id}/claims`;
  const claim = dataOf<Claim>(await directory.ok(user, 'POST', claims, { method }, 201));
  const verify = () => directory.as(user, 'POST', `${claims}/${claim.id}/verify`);
  return { claim, user, host, value: claim.proof?.value ?? '', listing, verify };
};

const checkedAs = (result: string) =>
  success({ state: result === 'found' ? 'proven' : 'open', last_check: { at: TIME, result } });

const meta = (value: string, name = 'directory-verification') => `<meta name="${name}" content="${value}">`;

longTest('a TXT record of the host without www proves a claim, also among others and in parts', async () => {
  const { claim, host, value, verify } = await claimed('dns', { prefix: 'www.' });
  const name = `_directory-challenge.${host}`;
  expect(claim).toMatchObject({
    state: 'open',
    proof: { name, value: expect.stringMatching(/^[\w-]{32}$/) as unknown },
  });
  names.host(host, LOOPBACK);
  expect(await verify()).toMatchObject(checkedAs('missing'));
  names.text(name, 'v=spf1 -all', `${value} `, value.slice(1));
  expect(await verify()).toMatchObject(checkedAs('missing'));
  names.text(name, 'v=spf1 -all', [value.slice(0, 5), value.slice(5)]);
  expect(await verify()).toMatchObject(checkedAs('found'));
  expect(requested).toEqual([]);
  // Only what is found changes the state.
  names.text(name, 'v=spf1 -all');
  expect(await verify()).toMatchObject(success({ state: 'proven', last_check: { result: 'missing' } }));
});

longTest('a name server that does not answer makes the proof unreachable within five seconds', async () => {
  const dns = await claimed('dns');
  names.silence(`_directory-challenge.${dns.host}`);
  const page = await claimed('page');
  names.silence(page.host);
  const limits = vi.spyOn(AbortSignal, 'timeout');
  const looked = await Promise.all([dns.verify(), page.verify()]);
  expect(limits.mock.calls).toContainEqual([5000]);
  for (const response of looked) expect(response).toMatchObject(checkedAs('unreachable'));
});

it('a meta element in the head of the page proves a claim', async () => {
  const { claim, host, value, verify } = await claimed('page', { path: '/about?x=1' });
  expect(claim.proof?.name).toBe('directory-verification');
  names.host(host, LOOPBACK);
  pages.set(`${host}/about?x=1`, html(`<!doctype html><title>A shop</title>${meta(value)}<p>Welcome`));
  expect(await verify()).toMatchObject(checkedAs('found'));
  expect(requested.toSorted()).toEqual([`${host}/.well-known/directory-verification.txt`, `${host}/about?x=1`]);
});

it.each<[string, (value: string) => string]>([
  ['in the body', (value) => `<head><title>A</title></head><body>${meta(value)}</body>`],
  ['after text', (value) => `<html>Written by a visitor ${meta(value)}`],
  ['after an element of the body', (value) => `<title>A</title><p>Hello</p>${meta(value)}`],
  ['in a comment', (value) => `<head><!-- ${meta(value)} --></head>`],
  ['in a title', (value) => `<head><title>${meta(value)}</title></head>`],
  ['in a script', (value) => `<head><script>const a = '${meta(value)}'</script></head>`],
  ['in a template', (value) => `<head><template>${meta(value)}</template></head>`],
  ['with another name', (value) => `<head>${meta(value, 'description')}</head>`],
  ['with more than the value', (value) => `<head>${meta(`${value}x`)}</head>`],
  ['beyond 256 KB', (value) => `<head><style>${'x'.repeat(256 * 1024)}</style>${meta(value)}</head>`],
])('a meta element %s proves nothing', async (_, page) => {
  const { host, value, verify } = await claimed('page');
  names.host(host, LOOPBACK);
  pages.set(`${host}/`, html(page(value)));
  expect(await verify()).toMatchObject(checkedAs('missing'));
});

it('only the first 256 KB of a page are read', async () => {
  const { host, value, verify } = await claimed('page');
  names.host(host, LOOPBACK);
  const after = (bytes: number) => html(`<head><title>${'x'.repeat(bytes)}</title>${meta(value)}</head>`);
  pages.set(`${host}/`, after(257 * 1024));
  expect(await verify()).toMatchObject(checkedAs('missing'));
  pages.set(`${host}/`, after(255 * 1024));
  expect(await verify()).toMatchObject(checkedAs('found'));
});

it('a page that is no HTML or an error proves nothing', async () => {
  const { host, value, verify } = await claimed('page');
  names.host(host, LOOPBACK);
  pages.set(`${host}/`, plain(meta(value)));
  expect(await verify()).toMatchObject(checkedAs('missing'));
  pages.set(`${host}/`, html(meta(value), 404));
  expect(await verify()).toMatchObject(checkedAs('missing'));
});

it('a proof of a claim of a listing of the staff makes the user its owner at once', async () => {
  const host = `${unique('shop')}.test`;
  const listing = await directory.live(directory.admin, { url: `http://${host}:${port}/` });
  const user = await person(server);
  const claims = `/api/projects/${listing.id}/claims`;
  const claim = dataOf<Claim>(await directory.ok(user, 'POST', claims, { method: 'page' }, 201));
  expect(claim.state).toBe('open');
  const verify = `${claims}/${claim.id}/verify`;
  expect(await directory.as(user, 'POST', verify)).toMatchObject(checkedAs('unreachable'));
  expect((await directory.read(listing.id)).owner_id).toBe(directory.admin.id);
  names.host(host, LOOPBACK);
  pages.set(`${host}/`, html(meta(claim.proof?.value ?? '')));
  const found = success({ state: 'approved', decided_at: TIME, last_check: { result: 'found', at: TIME } });
  expect(await directory.as(user, 'POST', verify)).toMatchObject(found);
  expect(await directory.read(listing.id)).toMatchObject({ owner_id: user.id, claimed_at: TIME });
});

it('a file of the host proves a claim', async () => {
  const { host, value, verify } = await claimed('page', { path: '/shop' });
  const file = `${host}/.well-known/directory-verification.txt`;
  names.host(host, LOOPBACK);
  pages.set(file, plain(`${value} and more`));
  expect(await verify()).toMatchObject(checkedAs('missing'));
  pages.set(file, plain(`${value}\r\n`));
  expect(await verify()).toMatchObject(checkedAs('found'));
});

it('redirects are followed within the registrable domain', async () => {
  const { host, value, verify } = await claimed('page');
  names.host(host, LOOPBACK);
  names.host(`www.${host}`, LOOPBACK);
  pages.set(`${host}/`, redirect(`http://www.${host}:${port}/en`));
  pages.set(`www.${host}/en`, html(meta(value)));
  expect(await verify()).toMatchObject(checkedAs('found'));
});

it('redirects to another domain are not followed, nor endless ones', async () => {
  const { host, value, verify } = await claimed('page');
  names.host(host, LOOPBACK);
  for (const other of [`evil-${host}`, 'elsewhere.test', `${host}.elsewhere.test`]) {
    names.host(other, LOOPBACK);
    pages.set(`${host}/`, redirect(`http://${other}:${port}/`));
    pages.set(`${other}/`, html(meta(value)));
    expect(await verify()).toMatchObject(checkedAs('missing'));
    expect(requested).not.toContain(`${other}/`);
  }
  pages.set(`${host}/`, redirect(`http://127.0.0.1:${port}/`));
  expect(await verify()).toMatchObject(checkedAs('missing'));
  pages.set(`${host}/`, redirect('/'));
  requested = [];
  expect(await verify()).toMatchObject(checkedAs('missing'));
  expect(requested.filter((address) => address === `${host}/`).length).toBeLessThan(8);
});

it('a host under a public suffix of private names does not follow to its neighbours', async () => {
  const name = unique('alice');
  const url = `http://${name}.github.io:${port}/`;
  const listing = await directory.live(await person(server), { url });
  const user = await person(server);
  const claims = `/api/projects/${listing.id}/claims`;
  const claim = dataOf<Claim>(await directory.ok(user, 'POST', claims, { method: 'page' }, 201));
  names.host(`${name}.github.io`, LOOPBACK);
  names.host('mallory.github.io', LOOPBACK);
  pages.set(`${name}.github.io/`, redirect(`http://mallory.github.io:${port}/`));
  pages.set('mallory.github.io/', html(meta(claim.proof?.value ?? '')));
  expect(await directory.as(user, 'POST', `${claims}/${claim.id}/verify`)).toMatchObject(checkedAs('missing'));
  expect(requested).not.toContain('mallory.github.io/');
});

it('internal addresses are not connected to, whatever the name server says', async () => {
  const { host, value, verify } = await claimed('page');
  pages.set(`${host}/`, html(meta(value)));
  for (const addresses of [['10.0.0.1'], ['169.254.169.254'], ['192.168.1.1', '127.0.0.1'], ['0.0.0.0']]) {
    names.host(host, addresses);
    expect(await verify()).toMatchObject(checkedAs('unreachable'));
  }
  expect(requested).toEqual([]);
});

it('the connection uses the address that was checked', async () => {
  const { host, value, verify } = await claimed('page');
  // Further questions would be answered with an address without a server.
  names.host(host, LOOPBACK, LOOPBACK, ['127.0.0.2']);
  pages.set(`${host}/`, html(meta(value)));
  expect(await verify()).toMatchObject(checkedAs('found'));
  expect(names.questions(host)).toBe(2);
  expect(await verify()).toMatchObject(success({ state: 'proven', last_check: { result: 'unreachable' } }));
});

longTest('a page that never ends holds the request for five seconds, and a file that is found counts', async () => {
  const [slow, both] = [await claimed('page'), await claimed('page')];
  const never: Reply = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<head>');
  for (const { host } of [slow, both]) {
    names.host(host, LOOPBACK);
    pages.set(`${host}/`, never);
  }
  pages.set(`${slow.host}/.well-known/directory-verification.txt`, () => undefined);
  pages.set(`${both.host}/.well-known/directory-verification.txt`, plain(both.value));
  const limits = vi.spyOn(AbortSignal, 'timeout');
  expect(await Promise.all([slow.verify(), both.verify()])).toMatchObject([checkedAs('missing'), checkedAs('found')]);
  expect(limits.mock.calls).toContainEqual([5000]);
});

it('a listing that has moved to another host is not proven by its claims', async () => {
  const { listing, verify } = await claimed('page');
  const host = `${unique('moved')}.test`;
  await directory.adminOk('PUT', `/api/admin/projects/${listing.id}`, { url: `http://${host}:${port}/` });
  expect(await verify()).toMatchObject(conflict('NOT_CLAIMABLE'));
  expect(requested).toEqual([]);
});
