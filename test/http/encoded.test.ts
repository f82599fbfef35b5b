import { expect, it } from 'vitest';
import * as z from 'zod';
import { Catalog } from '#catalog/catalog.ts';
import { defineRoute } from '#contract/route.ts';
import { digest, encode, encodedOnce } from '#http/encoded.ts';
import { project } from '#test/catalog/fixtures.ts';

/** Answers that are written once for one state of the catalog. */

const route = defineRoute('things.list', {
  method: 'GET',
  path: '/api/things',
  summary: 'List things',
  auth: 'public',
  tier: 'general',
  replies: { 200: z.object({ data: z.string() }) },
  needs: ['catalog'],
});

const asker = (catalog: Catalog) => {
  let written = 0;
  const ask = (question: unknown, data = 'one') =>
    encodedOnce(route, catalog, question, () => {
      written += 1;
      return { data, secret: 'never promised' };
    }).encoded;
  return { ask, written: () => written };
};

it('writes the same answer once, and another question’s apart', () => {
  const { ask, written } = asker(new Catalog());
  const first = ask({ page: 1 });
  expect(first).toEqual({ text: '{"data":"one"}', tag: digest('{"data":"one"}') });
  expect(ask({ page: 1 })).toBe(first);
  expect(written()).toBe(1);
  expect(ask({ page: 2 }, 'two').text).toBe('{"data":"two"}');
  expect(written()).toBe(2);
});

it('writes it anew as soon as the catalog has changed, and not before', () => {
  const catalog = new Catalog();
  const { ask, written } = asker(catalog);
  const change = { kind: 'project', project: project({ id: 'prj_1', version: 1 }) } as const;
  ask('a');
  catalog.apply([change]);
  expect(ask('a', 'changed').text).toBe('{"data":"changed"}');
  // What is known already is no change.
  catalog.apply([change]);
  ask('a');
  expect(written()).toBe(2);
});

it('knows nothing of another catalog in the same state', () => {
  const [one, other] = [asker(new Catalog()), asker(new Catalog())];
  one.ask('a', 'one');
  expect(other.ask('a', 'other').text).toBe('{"data":"other"}');
});

it('keeps only so much', () => {
  const { ask, written } = asker(new Catalog());
  const large = 'x'.repeat(3_000_000);
  for (const question of ['a', 'b', 'c']) ask(question, large);
  ask('c', large);
  expect(written()).toBe(3);
  ask('a', large);
  expect(written()).toBe(4);
});

it('does not send what the contract does not list', () => {
  expect(() => encode(route, 404, {})).toThrow('things.list answered 404');
  expect(() => encode(route, 200, { data: 1 })).toThrow();
});
