import { beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { Catalog } from '#catalog/catalog.ts';
import type { CatalogEntry } from '#catalog/types.ts';
import { browse, list, map, mine } from '#contract/projects.ts';
import { defineRoute } from '#contract/route.ts';
import { ContractViolation, encode } from '#http/response-body.ts';
import { Fragment } from '#model/fragment.ts';
import type { UserRecord } from '#model/user.ts';
import { cachedFragments } from '#services/projects/fragments.ts';
import { browseProjects, listProjects, listSubmissions, mapFeed } from '#services/projects/list.ts';
import { mapItemView, ownerView, publicView } from '#services/projects/read.ts';
import { project } from '#test/catalog/fixtures.ts';

const Thing = z.object({ id: z.string(), note: z.string().nullable().optional() });
const things = defineRoute('things.list', {
  method: 'GET',
  path: '/api/things',
  summary: 'List things',
  auth: 'public',
  tier: 'general',
  responses: {
    200: z.object({ data: z.array(Thing), meta: z.object({ total: z.int() }), more: z.string().optional() }),
  },
  permissions: ['catalog'],
});

const thing = (id: string, more: object = {}) => Fragment.of(Thing, { id, ...more });
const body = (ids: readonly string[], total = ids.length) => ({ data: ids.map((id) => thing(id)), meta: { total } });

describe('a fragment', () => {
  it('has no field that its schema does not declare', () => {
    expect(thing('a', { secret: 1 }).text).toBe('{"id":"a"}');
    expect(() => thing('a').with({ secret: 1 } as object)).toThrow('does not declare secret');
  });

  it('is not made from a value that does not match its schema', () => {
    expect(() => Fragment.of(Thing, { id: 1 } as never)).toThrow();
    expect(() => thing('a').with({ note: 1 } as never)).toThrow();
  });

  it('escapes a few characters beyond Latin-1, and leaves a text that has many', () => {
    const few = `${'é'.repeat(200)}’😀`;
    const { text } = thing('a', { note: few });
    expect(text).toBe(`{"id":"a","note":"${'é'.repeat(200)}\\u2019\\ud83d\\ude00"}`);
    expect(JSON.parse(text)).toEqual({ id: 'a', note: few });
    expect(thing('a', { note: 'Дом у реки' }).text).toBe('{"id":"a","note":"Дом у реки"}');
    expect(JSON.parse(thing('a').with({ note: few }).text)).toEqual({ id: 'a', note: few });
  });

  it('can be extended by declared fields, without a change of the original', () => {
    const original = thing('a');
    const extended = original.with({ note: 'one "two"' });
    expect(JSON.parse(extended.text)).toEqual({ id: 'a', note: 'one "two"' });
    expect(extended.tag).not.toBe(original.tag);
    expect(original.text).toBe('{"id":"a"}');
  });
});

describe('a response with fragments', () => {
  it('is equal to the response with their values', () => {
    const values = { data: [{ id: 'a' }, { id: 'ä€😀' }], meta: { total: 2 } };
    expect(encode(things, 200, body(['a', 'ä€😀'])).text).toBe(encode(things, 200, values).text);
    expect(encode(things, 200, body([])).text).toBe('{"data":[],"meta":{"total":0}}');
  });

  it('has no field that the route does not declare, beside the fragments or inside', () => {
    const { text } = encode(things, 200, {
      ...body(['a']),
      meta: { total: 1, secret: 'undeclared' },
      secret: 'undeclared',
    });
    expect(text).toBe('{"data":[{"id":"a"}],"meta":{"total":1}}');
  });

  it('rejects fragments of another schema, which may declare more fields', () => {
    const More = Thing.extend({ secret: z.string() });
    const leaking = { data: [thing('a'), Fragment.of(More, { id: 'b', secret: 'undeclared' })], meta: { total: 2 } };
    expect(() => encode(things, 200, leaking)).toThrow(ContractViolation);
  });

  it('has a tag that depends on every part of the text and on nothing else', () => {
    const tag = (...of: Parameters<typeof body>) => encode(things, 200, body(...of)).tag;
    expect(tag(['a', 'b'])).toBe(tag(['a', 'b']));
    const tags = [tag(['a', 'b']), tag(['b', 'a']), tag(['a', 'c']), tag(['a']), tag(['a', 'b'], 3)];
    expect(new Set(tags).size).toBe(tags.length);
  });
});

describe('the lists of projects', () => {
  const person = (id: string) => ({ id, is_admin: false, is_banned: false }) as UserRecord;
  const owner = person('owner');
  let catalog: Catalog;
  let entries: readonly CatalogEntry[];

  beforeEach(() => {
    vi.stubEnv('TABLE_NAME', 'directory');
    catalog = new Catalog();
    catalog.apply(
      ['a', 'b'].map((id, position) => ({
        kind: 'project' as const,
        project: project({
          id,
          url: 'https://example.com/same',
          owner_id: position === 0 ? owner.id : 'other',
          latitude: 1,
          longitude: 2,
          rejection_reason: 'confidential',
        }),
      })),
    );
    entries = [...catalog.all()].reverse();
  });

  const query = { sort: 'newest', page: 1, limit: 10, pricing: 'all', radius_km: 25 } as const;
  const dataOf = (text: string) => (JSON.parse(text) as { data: { id: string }[] }).data;

  it('have the public fields for everyone, and all fields for the owner', () => {
    const forEveryone = dataOf(encode(list, 200, listProjects(catalog, undefined, query)).text);
    expect(forEveryone).toEqual(entries.map(publicView));
    const forOwner = dataOf(encode(list, 200, listProjects(catalog, owner, query)).text);
    expect(forOwner).toEqual(
      entries.map((entry) => (entry.project.owner_id === owner.id ? ownerView(entry) : publicView(entry))),
    );
    const own = dataOf(encode(mine, 200, listSubmissions(catalog, owner, { page: 1, limit: 10 })).text);
    expect(own).toEqual(entries.filter(({ project: { id } }) => id === 'a').map(ownerView));
  });

  it('have the possible duplicates and the rule for administrators', () => {
    const forAdmin = dataOf(encode(browse, 200, browseProjects(catalog, { ...query, status: 'all' })).text);
    const others = (id: string) => ['a', 'b'].filter((other) => other !== id);
    expect(forAdmin).toEqual(
      entries.map((entry) => ({ ...ownerView(entry), rule: null, possible_duplicates: others(entry.project.id) })),
    );
  });

  it('have the items of the map', () => {
    expect(JSON.parse(encode(map, 200, mapFeed(catalog)).text)).toEqual({ items: entries.map(mapItemView) });
  });

  it('reflect every change of a listing', () => {
    const data = () => dataOf(encode(list, 200, listProjects(catalog, undefined, query)).text);
    expect(data()).not.toContainEqual(expect.objectContaining({ name: 'Renamed' }));
    catalog.apply([{ kind: 'project', project: project({ id: 'b', name: 'Renamed', version: 2 }) }]);
    expect(data()).toContainEqual(expect.objectContaining({ id: 'b', name: 'Renamed' }));
  });
});

describe('the kept fragments', () => {
  const entriesOf = (count: number) => {
    const catalog = new Catalog();
    catalog.apply(
      Array.from({ length: count }, (_, n) => ({ kind: 'project' as const, project: project({ id: `p${n}` }) })),
    );
    return [...catalog.all()];
  };
  const counting = (bytesMax: number, text = 'x'.repeat(1000)) => {
    let made = 0;
    const fragments = cachedFragments((entry) => {
      made += 1;
      return Fragment.of(Thing, { id: `${entry.project.id} ${text}` });
    }, bytesMax);
    return { fragments, made: () => made };
  };

  it('are made once per entry as long as all of them fit, however they are used', () => {
    const { fragments, made } = counting(100_000);
    const entries = entriesOf(75);
    for (let n = 0; n < 10_000; n += 1) {
      const entry = entries[(n * n + (n >> 3)) % entries.length];
      if (entry) fragments(entry);
    }
    expect(made()).toBeLessThanOrEqual(75);
  });

  it('are made once per entry', () => {
    const { fragments, made } = counting(100_000);
    const entries = entriesOf(20);
    for (const entry of [...entries, ...entries]) fragments(entry);
    expect(made()).toBe(20);
  });

  it('take at most the given memory, and those in use stay', () => {
    const { fragments, made } = counting(100_000);
    const [used, ...entries] = entriesOf(1000);
    if (!used) throw new Error('There is no entry.');
    for (const entry of entries) {
      fragments(entry);
      fragments(used);
    }
    expect(made()).toBe(1000);
    // The latest are kept, as many as fit, and the earlier ones are made again.
    for (const entry of entries.slice(-70)) fragments(entry);
    expect(made()).toBe(1000);
    for (const entry of entries.slice(0, 100)) fragments(entry);
    expect(made()).toBe(1100);
  });

  it('count two bytes per character of a text outside of Latin-1', () => {
    const { fragments, made } = counting(100_000, '漢'.repeat(1000));
    const entries = entriesOf(60);
    for (const entry of entries) fragments(entry);
    for (const entry of entries) fragments(entry);
    expect(made()).toBeGreaterThan(60);
  });
});
