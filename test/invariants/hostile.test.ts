import { expect, it } from 'vitest';
import type { Route } from '#contract/route.ts';
import { routes } from '#contract/table.ts';
import { pathOf } from '#test/support/requests.ts';
import { sampleOf } from '#test/support/sample.ts';
import { ownServer } from '#test/support/with-directory.ts';

/** Hostile input to every route: responses in the contract's shape, never a 5xx, and the service stays available. */

const server = await ownServer({ env: { FEATURE_AI: 'on' } });
const admin = await server.token({ email: 'root@example.com', admin: true });

const json = { 'content-type': 'application/json' };
const deep = (open: string, close: string, depth: number) => open.repeat(depth) + close.repeat(depth);

const bodies: readonly (readonly [string, string | Uint8Array, Record<string, string>])[] = [
  ['an empty body', '', json],
  ['broken JSON', '{"name": ', json],
  ['JSON after JSON', '{} {}', json],
  ['null', 'null', json],
  ['a number', '42', json],
  ['a huge number', '1e999', json],
  ['a string', '"hello"', json],
  ['an array', '[]', json],
  ['an array of nulls', '[null,null]', json],
  ['deep arrays', deep('[', ']', 60_000), json],
  ['deep objects', deep('{"a":', '', 20_000).concat('1', '}'.repeat(20_000)), json],
  ['prototype keys', '{"__proto__":{"is_admin":true},"constructor":{"prototype":{"x":1}},"prototype":1}', json],
  ['names of inherited members', '{"toString":"x","valueOf":1,"hasOwnProperty":null,"then":{}}', json],
  ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x3a, 0x31, 0x7d]), json],
  ['a BOM', '\ufeff{}', json],
  ['a lone surrogate', '{"name":"\\ud800","content":"\\udfff","reason":"\\ud83d","rating":"\\udc00"}', json],
  ['control characters', '{"name":"\\u0000\\u0001\\u001b[31m","content":"\\u0000","slug":"\\u0000"}', json],
  [
    'wrong types',
    '{"name":[],"url":{},"description":1,"categories":"x","pricing_type":[],"rating":"5","ids":{},"action":1}',
    json,
  ],
  ['numbers out of range', '{"rating":1e308,"latitude":1e400,"longitude":-1e400,"sort_order":1e300}', json],
  ['a huge string', `{"name":"${'x'.repeat(200_000)}","content":"${'y'.repeat(50_000)}"}`, json],
  [
    'long runs of spaces',
    JSON.stringify(
      Object.fromEntries(
        ['name', 'url', 'description', 'content', 'reason', 'path', 'slug'].map((name) => [name, ' '.repeat(35_000)]),
      ),
    ),
    json,
  ],
  ['times out of range', '{"deleted_at":"9999-12-31T23:59:59-12:00","ends_at":"0000-01-01T00:00:00+14:00"}', json],
  ['too large a body', `{"name":"${'x'.repeat(300_000)}"}`, json],
  ['many keys', `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":${n}`).join(',')}}`, json],
  ['many entries', `{"categories":[${'"a",'.repeat(20_000)}"a"],"tags":[${'"t",'.repeat(20_000)}"t"]}`, json],
  [
    'bad dates and addresses',
    '{"deleted_at":"yesterday","url":"javascript:alert(1)","logo_url":"data:x","published_at":"-1"}',
    json,
  ],
  ['a form', 'name=x&url=y', { 'content-type': 'application/x-www-form-urlencoded' }],
  ['no type', '{}', { 'content-type': '' }],
  ['an odd type', '{}', { 'content-type': 'application/json; charset=utf-16; boundary="' }],
  ['multipart without a boundary', 'x', { 'content-type': 'multipart/form-data' }],
  [
    'multipart that never ends',
    '--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\nname',
    { 'content-type': 'multipart/form-data; boundary=b' },
  ],
  ['malformed multipart', '--b\r\n\r\n\u0000--b--', { 'content-type': 'multipart/form-data; boundary=b' }],
];

const queries: readonly string[] = [
  'page=0',
  'page=-1',
  'page=1.5',
  'page=abc',
  'page=',
  'page=99999999999999999999',
  'page=1&page=2',
  'page[]=1',
  'limit=0',
  'limit=101',
  'limit=1e2',
  'limit=NaN',
  'limit=&page=',
  'status=nonsense',
  'status=live&status=pending',
  'sort=nonsense',
  'sort=__proto__',
  'sort=constructor',
  'sort=toString',
  'pricing=gratis',
  'category=',
  'category=,,,',
  `category=${'a,'.repeat(3000)}`,
  'category=__proto__',
  'sphere=constructor',
  'q=',
  'q=%20',
  `q=${'x'.repeat(101)}`,
  `q=${'x'.repeat(7000)}`,
  'q=%00',
  'q=%ff%fe',
  'q=%',
  'q=%zz',
  'q=%F0%9F',
  'q=%ED%A0%80',
  'q=.*%2B%3F%5E%24',
  'q=%CC%81',
  'facets=nonsense',
  'facets=__proto__',
  'facets=category,category',
  'cursor=nonsense',
  'cursor=%00',
  'cursor=bnVsbA',
  'cursor=W10',
  `cursor=${'A'.repeat(3000)}`,
  'cursor=eyJzb3J0IjoibmV3ZXN0In0',
  'bbox=1,2,3',
  'bbox=a,b,c,d',
  'bbox=999,0,0,0',
  'bbox=0,999,0,999',
  'bbox=0,50,0,10',
  'near=1',
  'near=91,0',
  'near=x,y',
  'near=1,1&radius_km=-1',
  'near=1,1&radius_km=99999999',
  'near=1,1&radius_km=Infinity',
  '__proto__=1',
  'constructor=1',
  '=&=&=',
  '&&&&',
  '%00=1',
  'a=b'.repeat(200),
];

const names: readonly string[] = [
  '%00',
  '%ff',
  '%',
  '%zz',
  '%E0%A4%A',
  '%ED%A0%80',
  '..',
  '%2e%2e%2f%2e%2e',
  '%2F',
  'a%2Fb',
  '__proto__',
  'constructor',
  'prj_',
  'prj_x',
  'x'.repeat(300),
  encodeURIComponent('ü'.repeat(150)),
  encodeURIComponent('🍺'),
  'prj_00000000000000000000000000',
  'null',
  'undefined',
  '%20',
  "'%20OR%201=1",
  '{project}',
  '#',
  ';',
];

const problemOf = (status: number, body: unknown): string | undefined => {
  // No language model is configured here, so the AI routes return 503.
  if (status >= 500 && status !== 503) return `returned ${status}`;
  if (status < 400) return undefined;
  const shape = body as { error?: unknown; code?: unknown; details?: { _errors?: unknown } };
  if (typeof shape?.error !== 'string' || typeof shape.code !== 'string') return `returned ${JSON.stringify(body)}`;
  if (status === 400 && shape.code !== 'INVALID_SIGNATURE' && !Array.isArray(shape.details?._errors))
    return `has no details: ${JSON.stringify(body)}`;
  return undefined;
};

/** Fewer for routes without query parameters: they ignore the query, and the gateway parses all queries alike. */
const queriesFor = (route: Route, position: number): readonly string[] =>
  sampleOf(route.query ? queries : queries.filter((_, index) => index % 10 === 0), position);

const send = async (route: Route, path: string, what: string, body?: string | Uint8Array, headers = {}) => {
  const response = await server.call(route.method, path, {
    token: admin,
    ...(body !== undefined && { rawBody: body }),
    headers,
  });
  if (route.notFoundPage !== undefined && response.status === 404) return [];
  if (route.errorPages && [400, 404].includes(response.status)) return [];
  const problem = problemOf(response.status, response.body);
  return problem ? [`${what}: ${problem}`] : [];
};

it.each(sampleOf(routes, 0).map((route, position) => ({ id: route.id, route, position })))(
  '$id responds to hostile requests in the contract’s shape',
  async ({ route, position }) => {
    const problems: string[] = [];
    if (route.method !== 'GET') {
      for (const [what, body, headers] of sampleOf(bodies, position))
        problems.push(...(await send(route, pathOf(route), what, body, headers)));
    }
    for (const query of queriesFor(route, position))
      problems.push(...(await send(route, `${pathOf(route)}?${query}`, `?${query.slice(0, 60)}`)));
    for (const variable of route.path.matchAll(/\{(\w+)\}/g)) {
      for (const name of sampleOf(names, position)) {
        const path = pathOf(route, { [variable[1] as string]: name });
        problems.push(...(await send(route, path, `{${variable[1]}} = ${name.slice(0, 60)}`)));
      }
    }
    expect(problems).toEqual([]);
  },
);
