import { expect, it } from 'vitest';
import * as z from 'zod';
import { Catalog } from '#catalog/catalog.ts';
import { defineRoute } from '#contract/route.ts';
import { cachedResponse, encode } from '#http/response-body.ts';
import { digest } from '#model/entity-tag.ts';
import { project } from '#test/catalog/fixtures.ts';

const route = defineRoute('things.list', {
  method: 'GET',
  path: '/api/things',
  summary: 'List things',
  auth: 'public',
  tier: 'general',
  responses: { 200: z.object({ data: z.string() }) },
  permissions: ['catalog'],
});

const responsesOf = (catalog: Catalog) => {
  let serialized = 0;
  const response = (query: unknown, data = 'one') =>
    cachedResponse(route, query, {
      catalog,
      body: () => {
        serialized += 1;
        return { data, secret: 'undeclared' };
      },
    }).encoded;
  return { response, serialized: () => serialized };
};

it('a cached response is serialized once per query', () => {
  const { response, serialized } = responsesOf(new Catalog());
  const first = response({ page: 1 });
  expect(first).toEqual({ text: '{"data":"one"}', tag: digest('{"data":"one"}') });
  const second = response({ page: 1 });
  expect(second).toBe(first);
  expect(serialized()).toBe(1);
  expect(response({ page: 2 }, 'two').text).toBe('{"data":"two"}');
  expect(serialized()).toBe(2);
});

it('a cached response is serialized again when the catalog has changed, and not before', () => {
  const catalog = new Catalog();
  const { response, serialized } = responsesOf(catalog);
  const change = { kind: 'project', project: project({ id: 'prj_1', version: 1 }) } as const;
  for (const _ of [1, 2, 3]) response('a');
  expect(serialized()).toBe(1);
  catalog.apply([change]);
  for (const _ of [1, 2, 3]) expect(response('a', 'changed').text).toBe('{"data":"changed"}');
  expect(serialized()).toBe(2);
  // A repeated change does not alter the catalog.
  catalog.apply([change]);
  response('a');
  expect(serialized()).toBe(2);
});

it('a cached response belongs to one catalog, also of the same version', () => {
  const [one, other] = [responsesOf(new Catalog()), responsesOf(new Catalog())];
  for (const _ of [1, 2, 3]) one.response('a', 'one');
  expect(other.response('a', 'other').text).toBe('{"data":"other"}');
});

it('the cache of responses has a limited size', () => {
  const { response, serialized } = responsesOf(new Catalog());
  const large = 'x'.repeat(3_000_000);
  for (const query of ['a', 'b', 'c', 'b', 'c']) response(query, large);
  expect(serialized()).toBe(3);
  response('a', large);
  expect(serialized()).toBe(4);
});

it('a response with an undeclared status or a body that does not match the schema throws', () => {
  expect(() => encode(route, 404, {})).toThrow('things.list returned a response for 404');
  expect(() => encode(route, 200, { data: 1 })).toThrow();
});
