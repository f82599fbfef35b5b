import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalHost, canonicalUrl } from '#model/url.ts';
import { longTest } from '#test/support/long-test.ts';

it.each([
  'http://example.com/a',
  'https://example.com/a/',
  'https://www.example.com/a',
  'https://EXAMPLE.com/a',
  'https://example.com:443/a',
  'http://example.com:80/a',
  'https://example.com/a#part',
  'https://example.com/a#/route',
  'https://example.com/a?utm_source=x&utm_medium=y',
  'https://example.com/a?fbclid=1&gclid=2&ref=producthunt&UTM_Campaign=z',
  'https://example.com/a?',
  ' https://example.com/a ',
])('%s is example.com/a', (url) => {
  expect(canonicalUrl(url)).toBe('example.com/a');
});

it('canonical URL keeps the parts that identify a page', () => {
  expect(canonicalUrl('https://example.com/Path?b=2&a=1')).toBe(canonicalUrl('http://example.com/Path/?a=1&b=2'));
  expect(canonicalUrl('https://example.com/a?page=1')).not.toBe(canonicalUrl('https://example.com/a?page=2'));
  expect(canonicalUrl('https://example.com/A')).not.toBe(canonicalUrl('https://example.com/a'));
  expect(canonicalUrl('https://example.com:8080')).not.toBe(canonicalUrl('https://example.com'));
  expect(canonicalUrl('https://blog.example.com')).not.toBe(canonicalUrl('https://example.com'));
  expect(canonicalUrl('https://example.com/?reference=1')).not.toBe(canonicalUrl('https://example.com'));
});

it('canonical URL normalizes international hosts', () => {
  expect(canonicalUrl('https://MÜNCHEN.example')).toBe(canonicalUrl('http://xn--mnchen-3ya.example/'));
});

it.each([
  '',
  '   ',
  'Not An Address',
  'http://',
  'https://[',
  'mailto:A@b',
  'javascript:void 0',
  '\ud800',
  'http://a b',
])('canonical URL never throws: %j', (url) => {
  expect(typeof canonicalUrl(url)).toBe('string');
  expect(typeof canonicalHost(url)).toBe('string');
});

it('canonical URL is the trimmed input in lower case when the input is not a URL', () => {
  expect(canonicalUrl('  Not An Address ')).toBe('not an address');
});

longTest('canonical URL has equal hosts for equal canonical URLs', () => {
  const host = fc.constantFrom(
    'a.com',
    'www.a.com',
    'www.www.a.com',
    'A.com.',
    'www.com',
    'com',
    'ä.com',
    'xn--4ca.com',
    '1.2',
    '[::1]',
  );
  const url = fc
    .tuple(
      fc.constantFrom('http://', 'https://', 'HTTP://', 'http:', '//', '', 'ftp://', 'http://u:p@', ' https://'),
      host,
      fc.constantFrom('', ':80', ':443', ':8080'),
      fc.constantFrom('', '/', '/a', '/a/', '?a=1', '/?ref=1', '#x', '/../'),
    )
    .map((parts) => parts.join(''));
  fc.assert(
    fc.property(url, url, (a, b) => {
      if (canonicalUrl(a) === canonicalUrl(b)) expect(canonicalHost(a)).toBe(canonicalHost(b));
    }),
    { seed: 1, numRuns: 5000 },
  );
});
