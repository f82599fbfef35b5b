import { expect, it } from 'vitest';
import { invalidAt, NOT_FOUND, person, states, unique } from '#test/support/fixtures.ts';
import { longTest } from '#test/support/long-test.ts';
import { sharedDirectory } from '#test/support/with-directory.ts';
import { childrenOf, parseXml, type XmlElement } from '#test/support/xml.ts';

/** Badges that the sites of listings show. */

const { server, directory } = await sharedDirectory();
const owner = await person(server);

const everything = (element: XmlElement): readonly XmlElement[] => [element, ...element.children.flatMap(everything)];

/** The label of an image, whose other parts repeat it. */
const labelOf = (body: unknown): string => {
  const root = parseXml(String(body));
  const [title] = childrenOf(root, 'title');
  expect(root.attributes['aria-label']).toBe(title?.text);
  return title?.text ?? '';
};

it('a badge says that a live listing is listed, and how many upvotes and which rating it has', async () => {
  const { id, slug } = await directory.live(owner);
  const label = async (query: string) =>
    labelOf((await directory.ok(undefined, 'GET', `/badges/${slug}.svg${query}`)).body);
  expect(await label('')).toBe('Listed on: Directory');
  expect(await label('?kind=upvotes')).toBe('Directory: 0 upvotes');
  expect(await label('?kind=rating')).toBe('Directory: no ratings');
  await directory.react(await person(server), id, 4);
  expect(await label('?kind=upvotes')).toBe('Directory: 1 upvote');
  await directory.react(await person(server), id, 5);
  expect(await label('?kind=listed&theme=dark')).toBe('Listed on: Directory');
  expect(await label('?kind=upvotes&theme=dark')).toBe('Directory: 2 upvotes');
  expect(await label('?kind=rating&theme=light')).toBe('Directory: 4.5 of 5 (2 ratings)');
});

it('a badge is found by id, slug and earlier slug', async () => {
  const { id, slug } = await directory.live(owner);
  await directory.ok(owner, 'PUT', `/api/projects/${id}`, { slug: unique('later') });
  for (const reference of [id, slug]) await directory.ok(undefined, 'GET', `/badges/${reference}.svg`);
});

it.each(['listed', 'upvotes', 'rating'])('the badge %s is small and has neither script nor reference', async (kind) => {
  const { slug } = await directory.live(owner, { name: '<script>alert(1)</script>' });
  for (const theme of ['light', 'dark']) {
    const { body, headers } = await directory.ok(undefined, 'GET', `/badges/${slug}.svg?kind=${kind}&theme=${theme}`);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(Buffer.byteLength(String(body))).toBeLessThanOrEqual(4096);
    const elements = everything(parseXml(String(body)));
    expect(elements[0]?.name).toBe('svg');
    for (const { name, attributes } of elements) {
      expect(name).toMatch(/^(?:svg|title|linearGradient|stop|clipPath|rect|g|text|filter|fe[A-Z]\w+)$/);
      for (const [attribute, value] of Object.entries(attributes)) {
        expect([attribute, /^on|href/.test(attribute)]).toEqual([attribute, false]);
        if (!attribute.startsWith('xmlns')) expect(value.replaceAll(/url\(#\w+\)/g, '')).not.toMatch(/url\(|\/\//);
      }
    }
  }
});

it('a badge is usable from any origin, cached for ten minutes, and has a strong tag', async () => {
  const { slug } = await directory.live(owner);
  const { headers } = await directory.get(`/badges/${slug}.svg`, undefined, { origin: 'https://listed.example' });
  expect(headers.get('access-control-allow-origin')).toBe('*');
  expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
  expect(headers.get('content-security-policy')).toBe("default-src 'none'; style-src 'unsafe-inline'");
  expect(headers.get('cache-control')).toBe('public, max-age=600');
  const etag = headers.get('etag') ?? '';
  expect(await directory.get(`/badges/${slug}.svg`, undefined, { 'if-none-match': etag })).toMatchObject({
    status: 304,
  });
});

longTest('only live listings have a badge, whatever else is wrong', async () => {
  for (const state of states.filter((one) => one !== 'live')) {
    const { id } = await directory.project(state, owner);
    expect(await directory.get(`/badges/${id}.svg`, owner)).toMatchObject(NOT_FOUND);
    expect(await directory.get(`/badges/${id}.svg?kind=gold`, directory.admin)).toMatchObject(NOT_FOUND);
  }
  const { slug } = await directory.live(owner);
  for (const file of [slug, `${slug}.png`, `${slug}.svg.svg`, '.svg', `${unique('none')}.svg`]) {
    expect(await directory.get(`/badges/${file}`)).toMatchObject(NOT_FOUND);
  }
});

it.each([
  ['kind', 'gold'],
  ['theme', 'blue'],
])('a badge rejects an unknown %s', async (name, value) => {
  const { slug } = await directory.live(owner);
  expect(await directory.get(`/badges/${slug}.svg?${name}=${value}`)).toMatchObject(invalidAt(name));
});
