import { expect, it } from 'vitest';
import { ownDirectory } from '#test/support/with-directory.ts';

/** Further fields on the pages. */

const { server, directory } = await ownDirectory();

const EVIL = '"><script>alert(1)</script>';
const options = ['red', 'green'].map((value) => ({ value, label: `${value} label` }));
const hours = {
  zone: 'Europe/Berlin',
  week: {
    mo: [
      ['09:00', '12:00'],
      ['13:00', '17:30'],
    ],
    fr: [['22:00', '02:00']],
  },
  closed: ['2026-12-24'],
};

const definitions = [
  { key: 'town', type: 'text', in_card: true },
  { key: 'remark', type: 'long_text' },
  { key: 'price', type: 'number', unit: 'EUR', in_card: true, filterable: true },
  { key: 'color', type: 'select', options, in_card: true, filterable: true },
  { key: 'colors', type: 'multi_select', options },
  { key: 'open_air', type: 'boolean', in_card: true, filterable: true },
  { key: 'indoors', type: 'boolean', in_card: true },
  { key: 'opened', type: 'date', filterable: true },
  { key: 'region', type: 'text', filterable: true },
  { key: 'source', type: 'url' },
  { key: 'contact', type: 'email' },
  { key: 'desk', type: 'phone' },
  { key: 'times', type: 'hours', filterable: true },
  { key: 'secret', type: 'text', access: 'staff', in_card: true, filterable: true },
];
for (const definition of definitions) {
  await directory.adminOk('POST', '/api/admin/fields', { label: `${definition.key} label`, ...definition }, 201);
}
const { id, slug } = await directory.live(directory.admin);
await directory.adminOk('PUT', `/api/admin/projects/${id}`, {
  fields: {
    town: EVIL,
    remark: `First\nsecond ${EVIL}`,
    price: 1234.5,
    color: 'red',
    colors: ['red', 'green'],
    open_air: true,
    indoors: false,
    opened: '2024-02-29',
    region: 'Vaud, west',
    source: 'https://www.example.org/code',
    contact: 'desk@example.org',
    desk: '+41 44 123 45 67',
    times: hours,
    secret: 'for staff only',
  },
});
const plain = await directory.live(directory.admin);

const textOf = async (path: string): Promise<string> => (await fetch(`${server.url}${path}`)).text();

/** The value that a page shows for a field, as HTML. */
const shown = (html: string, key: string): string | undefined =>
  new RegExp(`<dt[^>]*>${key} label</dt><dd[^>]*>(.*?)</dd>`, 's').exec(html)?.[1];

it.each([
  ['town', '&quot;>&lt;script>alert(1)&lt;/script>'],
  ['remark', '<span class="lines">First\nsecond &quot;>&lt;script>alert(1)&lt;/script></span>'],
  ['price', '1,234.5 EUR'],
  ['color', 'red label'],
  ['colors', 'red label, green label'],
  ['open_air', 'Yes'],
  ['indoors', 'No'],
  ['opened', 'February 29, 2024'],
  [
    'source',
    '<a href="https://www.example.org/code" rel="nofollow ugc noopener" target="_blank" dir="ltr">example.org</a>',
  ],
  ['contact', '<a href="mailto:desk%40example.org">desk@example.org</a>'],
  ['desk', '<a href="tel:+41441234567">+41 44 123 45 67</a>'],
])('the page of a listing shows its %s', async (key, html) => {
  expect(shown(await textOf(`/projects/${slug}`), key)).toBe(html);
});

it('the page of a listing shows opening hours as a week, with closed days and the zone', async () => {
  const times = shown(await textOf(`/projects/${slug}`), 'times') ?? '';
  expect(
    [...times.matchAll(/<th scope="row">(.*?)<\/th><td>(.*?)<\/td>/g)].map(([, day, spans]) => [day, spans]),
  ).toEqual([
    ['Monday', '09:00–12:00, 13:00–17:30'],
    ['Tuesday', 'Closed'],
    ['Wednesday', 'Closed'],
    ['Thursday', 'Closed'],
    ['Friday', '22:00–02:00'],
    ['Saturday', 'Closed'],
    ['Sunday', 'Closed'],
  ]);
  expect(times).toContain('Closed on December 24, 2026');
  expect(times).toContain('Times of Europe/Berlin');
});

it('cards show the fields of cards that the listing has, and no page shows fields of the staff', async () => {
  const list = await textOf('/projects');
  expect(list).toContain('1,234.5 EUR');
  expect(list).toContain('open_air label');
  expect(list).not.toContain('indoors label');
  expect(list).not.toContain('colors label');
  expect(list.match(/class="card-fields"/g)).toHaveLength(1);
  for (const path of ['/projects', `/projects/${slug}`]) expect(await textOf(path)).not.toContain('secret label');
  expect(await textOf(`/projects/${plain.slug}`)).not.toContain('remark label');
});

const queryOf = (query: Readonly<Record<string, string>>): string => new URLSearchParams(query).toString();

/** The listings on a page by their order. */
const listed = (html: string): string[] =>
  [...html.matchAll(/<a class="cover" href="\/projects\/([^"]+)"/g)].map(([, one = '']) => one);

it.each([
  ['an option', { 'filter[color]': 'red' }, true],
  ['an option that the listing does not have', { 'filter[color]': 'green' }, false],
  ['a truth value', { 'filter[open_air]': 'true' }, true],
  ['a range', { 'filter[price]': '1000..2000' }, true],
  ['a text', { 'filter[region]': 'vaud, WEST' }, true],
  ['a range of a form', { 'from[price]': '1000', 'to[price]': '' }, true],
  ['the end of a range of a form', { 'from[price]': ' ', 'to[price]': '1000' }, false],
  ['a range of dates of a form', { 'from[opened]': '2024-02-01', 'to[opened]': '2024-02-29' }, true],
  ['opening hours', { 'filter[times]': 'open@2026-11-23T09:00:00Z' }, true],
  ['opening hours of another time', { 'filter[times]': 'open@2026-11-24T09:00:00Z' }, false],
])('a page filters by %s', async (_, filter, isFound) => {
  const html = await textOf(`/projects?${queryOf(filter)}`);
  expect(listed(html)).toEqual(isFound ? [slug] : []);
  expect(html).toContain('<meta name="robots" content="noindex">');
});

it('the filters of a page count values, lead to their lists and back', async () => {
  const html = await textOf('/projects');
  const link = `href="/projects?${queryOf({ 'filter[color]': 'red' }).replaceAll('&', '&amp;')}"`;
  expect(html).toContain('<h3 dir="auto">color label</h3>');
  expect(html.slice(html.indexOf(link))).toMatch(
    /^[^>]*rel="nofollow"[^>]*>.*?red label<\/span><span class="facet-count">1</,
  );
  expect(html).toContain('Open now');
  for (const hidden of ['secret label', 'price label</h3>']) expect(html).not.toContain(hidden);
  const filtered = await textOf(`/projects?${queryOf({ 'filter[color]': 'red', 'filter[open_air]': 'true' })}`);
  expect(filtered).toContain('aria-label="Remove the filter red label"');
  expect(filtered).toContain(`href="/projects?${queryOf({ 'filter[open_air]': 'true' })}"`);
});

/** The inputs of the form of filters, by name. */
const inputsOf = (html: string): Record<string, string> => {
  const form = /<form class="facets" action="(.*?)" method="get">(.*?)<\/form>/s.exec(html);
  expect(form?.[1]).toBe('/projects');
  const inputs = [...(form?.[2] ?? '').matchAll(/<input [^>]*>/g)].map(([tag]) => [
    /name="([^"]*)"/.exec(tag)?.[1] ?? '',
    /value="([^"]*)"/.exec(tag)?.[1] ?? '',
  ]);
  return Object.fromEntries(inputs) as Record<string, string>;
};

it('texts, numbers and dates are filtered by a form that keeps the other parameters, without a script', async () => {
  const empty = { 'from[price]': '', 'to[price]': '', 'from[opened]': '', 'to[opened]': '', 'filter[region]': '' };
  expect(inputsOf(await textOf('/projects'))).toEqual(empty);
  // An empty form is the list itself.
  expect(await textOf(`/projects?${queryOf(empty)}`)).toContain('<link rel="canonical"');
  const filtered = await textOf(
    `/projects?${queryOf({ 'filter[color]': 'red', 'filter[region]': 'Vaud, west', 'from[price]': '1000.5', sort: 'name' })}`,
  );
  const sent = inputsOf(filtered);
  expect(sent).toEqual({
    ...empty,
    ...{ 'filter[color]': 'red', 'filter[region]': 'Vaud, west', 'from[price]': '1000.5', sort: 'name' },
  });
  expect(listed(await textOf(`/projects?${queryOf(sent)}`))).toEqual([slug]);
  expect(filtered).toContain('aria-label="Remove the filter price label: 1,000.5 –"');
  expect(filtered).toContain('aria-label="Remove the filter region label: Vaud, west"');
  const without = { sort: 'name', 'filter[color]': 'red', 'filter[price]': '1000.5..' };
  expect(filtered).toContain(`href="/projects?${queryOf(without).replaceAll('&', '&amp;')}"`);
  const dated = await textOf(`/projects?${queryOf({ 'filter[opened]': '2024-02-29', 'filter[price]': '..9' })}`);
  expect(dated).toContain('aria-label="Remove the filter opened label: February 29, 2024"');
  expect(inputsOf(dated)).toEqual({
    ...empty,
    ...{ 'from[opened]': '2024-02-29', 'to[opened]': '2024-02-29', 'to[price]': '9' },
  });
  expect(inputsOf(await textOf(`/projects?${queryOf({ 'filter[price]': '*' })}`))).toEqual(empty);
});

it.each([
  ['an unknown field', { 'filter[size]': 'a' }, 'filter[size]'],
  ['a field of the staff', { 'filter[secret]': 'a' }, 'filter[secret]'],
  ['a field that is not filterable', { 'filter[town]': 'a' }, 'filter[town]'],
  ['a wrong value', { 'filter[price]': 'cheap' }, 'filter[price]'],
  ['markup', { 'filter[price]': EVIL }, 'filter[price]'],
  ['a wrong bound', { 'from[price]': 'cheap' }, 'filter[price]'],
  ['bounds in the wrong order', { 'from[price]': '2', 'to[price]': '1' }, 'filter[price]'],
  ['bounds of an unknown field', { 'from[size]': '2' }, 'filter[size]'],
])('a filter by %s is the page with a message and 400', async (_, filter, name) => {
  const response = await fetch(`${server.url}/projects?${queryOf(filter)}`);
  expect(response.status).toBe(400);
  const html = await response.text();
  expect(html).toMatch(/role="alert"/);
  expect(html).toContain(name);
  expect(html).not.toContain('<script>alert(1)');
  expect(listed(html)).toHaveLength(2);
});

it.each([
  'from=x',
  'to[__proto__]=x',
  'from[price]=1&from[price]=2',
  'filter=x',
  'filter[__proto__]=x',
  'filter[price][x]=1',
  'filter[price]=1&filter[price]=2',
])('?%s is a page with 400', async (query) => {
  const response = await fetch(`${server.url}/projects?${query}`, { headers: { accept: 'text/html' } });
  expect([response.status, response.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
});
