import { expect, it } from 'vitest';
import * as z from 'zod';
import { Catalog } from '#catalog/catalog.ts';
import { defineRoute } from '#contract/route.ts';
import { cachedReply, encode } from '#http/encoded.ts';
import { digest } from '#model/entity-tag.ts';
import { project } from '#test/catalog/fixtures.ts';

/** Replies that are serialized once per catalog version. */

const route = defineRoute('things.list', {
  method: 'GET',
  path: '/api/things',
  summary: 'List things',
  auth: 'public',
  tier: 'general',
  replies: { 200: z.object({ data: z.string() }) },
  permissions: ['catalog'],
});

const repliesOf = (catalog: Catalog) => {
  let serialized = 0;
  const reply = (query: unknown, data = 'one') =>
    cachedReply(route, catalog, query, () => {
      serialized += 1;
      return { data, secret: 'undeclared' };
    }).encoded;
  return { reply, serialized: () => serialized };
};

it('caches a reply from the second request of its query on', () => {
  const { reply, serialized } = repliesOf(new Catalog());
  const first = reply({ page: 1 });
  expect(first).toEqual({ text: '{"data":"one"}', tag: digest('{"data":"one"}') });
  const second = reply({ page: 1 });
  expect(second).toEqual(first);
  expect(serialized()).toBe(2);
  expect(reply({ page: 1 })).toBe(second);
  expect(serialized()).toBe(2);
  expect(reply({ page: 2 }, 'two').text).toBe('{"data":"two"}');
  expect(serialized()).toBe(3);
});

it('serializes again when the catalog has changed, and not before', () => {
  const catalog = new Catalog();
  const { reply, serialized } = repliesOf(catalog);
  const change = { kind: 'project', project: project({ id: 'prj_1', version: 1 }) } as const;
  for (const _ of [1, 2, 3]) reply('a');
  expect(serialized()).toBe(2);
  catalog.apply([change]);
  for (const _ of [1, 2, 3]) expect(reply('a', 'changed').text).toBe('{"data":"changed"}');
  expect(serialized()).toBe(4);
  // A repeated change does not alter the catalog.
  catalog.apply([change]);
  reply('a');
  expect(serialized()).toBe(4);
});

it('separates catalogs of the same version', () => {
  const [one, other] = [repliesOf(new Catalog()), repliesOf(new Catalog())];
  for (const _ of [1, 2, 3]) one.reply('a', 'one');
  expect(other.reply('a', 'other').text).toBe('{"data":"other"}');
});

it('bounds the size of the cache', () => {
  const { reply, serialized } = repliesOf(new Catalog());
  const large = 'x'.repeat(3_000_000);
  for (const query of ['a', 'a', 'b', 'b', 'c', 'c']) reply(query, large);
  reply('c', large);
  expect(serialized()).toBe(6);
  reply('a', large);
  expect(serialized()).toBe(7);
});

it('throws for an undeclared status and for a body that does not match the schema', () => {
  expect(() => encode(route, 404, {})).toThrow('things.list returned a reply for 404');
  expect(() => encode(route, 200, { data: 1 })).toThrow();
});
