import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { parsed } from '#contract/fields.ts';
import { asciiHost } from '#contract/host.ts';
import { Host, URL_MAX, WebUrl, withScheme } from '#contract/web-addresses.ts';

/** What is wrong with an address; its stored form when nothing is. */
const problem = (schema: typeof WebUrl, value: string): string => {
  const result = parsed(schema, value);
  return result.issues === undefined ? result.data : result.issues.map(({ message }) => message).join(', ');
};

it.each([
  ['example.com', 'example.com'],
  ['EXAMPLE.Com', 'example.com'],
  ['a.b.c.d.example', 'a.b.c.d.example'],
  ['localhost', 'localhost'],
  ['shop.localhost', 'shop.localhost'],
  ['my_shop.example.com', 'my_shop.example.com'],
  ['r3---sn-apo.example.com', 'r3---sn-apo.example.com'],
  ['-old-.example.com', '-old-.example.com'],
  ['3com.example', '3com.example'],
  ['bücher.example', 'xn--bcher-kva.example'],
  ['XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
  ['faß.example', 'xn--fa-hia.example'],
  ['उदाहरण.परीक्षा', 'xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g'],
  ['例え。テスト', 'xn--r8jz45g.xn--zckzah'],
  ['i❤.ws', 'xn--i-7iq.ws'],
  ['💩.la', 'xn--ls8h.la'],
  [`${'a'.repeat(63)}.example`, `${'a'.repeat(63)}.example`],
  ['93.184.215.14', '93.184.215.14'],
  ['[2606:4700::1111]', '[2606:4700::1111]'],
  ['[::FFFF:1.2.3.4]', '[::ffff:102:304]'],
])('%s is a host: %s', (written, ascii) => {
  expect(asciiHost(written)).toBe(ascii);
});

it.each([
  ['nothing', ['']],
  ['a single label', ['http', 'https', 'example', '-', '_', 'com', 'xn--bcher-kva', '中国']],
  ['an empty label', ['.', '.example.com', 'a..example', 'example.com.', 'example.com..', 'example.com。']],
  ['a label without letter and digit', ['-.com', 'a.-.com', '_.example.com', '--.com']],
  ['a label or name that is too long', [`${'a'.repeat(64)}.com`, `${'ä'.repeat(60)}.com`, `${'a.'.repeat(126)}com`]],
  [
    'Punycode that stands for nothing',
    ['xn--a.example', 'xn--.example', 'xn--0.com', 'xn--ab--cd.com', 'a.xn--999999b'],
  ],
  ['Punycode of what UTS 46 maps or bars', ['xn--a-ecp.ru', 'xn--a-yoc.com', 'xn--bücher.example']],
  [
    'characters of no host',
    ['a b.com', '(a.com)', 'a.com,b.com', '*.a.com', 'a.com;', '"a".com', 'a&b.com', 'a.com|', '<a>.com'],
  ],
  [
    'a part of a URL',
    ['u@a.com', 'a.com:80', 'a.com/', 'a.com?q', 'a.com#f', 'a\\b.com', 'ex%61mple.com', 'http://a.com'],
  ],
  [
    'an invisible character',
    ['exa\u00admple.com', 'exam\u200bple.com', 'نامه\u200cای.com', 'a\u2060.com', '\ufeffa.com', 'a\u3164.com'],
  ],
  ['an override of direction', ['a\u202e.com', 'a\u200f.com']],
  [
    'no address of four numbers',
    ['2130706433', '127.1', '0x7f.0.0.1', '0177.0.0.1', '1.2.3.4.5', '256.1.1.1', '１２７.0.0.1', '127.0.0.1.'],
  ],
  ['no IPv6 address', ['[', '[]', '[::g]', '[1.2.3.4]', '::1', '[::1', '[fe80::1%25eth0]']],
  ['a lone surrogate', ['a\ud800.com']],
])('what has %s is no host', (_, names) => {
  expect(names.map((name) => [name, asciiHost(name)])).toEqual(names.map((name) => [name, undefined]));
});

it('every host is that of a URL, and its form is one with the same form', () => {
  const part = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom('xn--', 'xn--a', '-', '1', 'ä', '。', 'a_b'),
  );
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (labels) => {
      const host = asciiHost(labels.join('.'));
      if (host === undefined) return;
      expect(asciiHost(host)).toBe(host);
      expect(new URL(`https://${labels.join('.')}:8080/a?b#c`).hostname).toBe(host);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  'https://example.com',
  'HTTPS://Example.COM:8443/A?b=c#d',
  'http://localhost:3000/',
  'http://93.184.215.14/',
  'https://[2606:4700::1111]:8080/x',
  'https://bücher.example/größe?q=ü#ä',
  'https://example.com:/',
  'https://example.com/a b',
  'https://example.com?x',
  'https://example.com\\a',
  'https://example.com/user@host',
  'https://example.com/%E2%80%8B',
  'https://example.com/http://-/',
])('%s is an address', (address) => {
  expect(problem(WebUrl, address)).toBe(address);
});

const HOST = 'must have a whole host name such as example.com, or an IP address';
const SCHEME = 'must be an http or https address';

it.each([
  [
    HOST,
    [
      'https://http://example.com',
      'https://https//example.com',
      'http://-/',
      'https://example',
      'https://www.',
      'https://...',
    ],
  ],
  [
    HOST,
    [
      'https://example.com,https://example.org',
      'https://example..com/',
      'https://:80/',
      'http://2130706433/',
      'https://xn--a.example/',
    ],
  ],
  [
    SCHEME,
    ['example.com', '//example.com', 'https:example.com', 'https:///example.com', 'ftp://example.com', 'https://'],
  ],
  ['must have a port up to 65535', ['https://a.com:65536/']],
  [
    'must not have a user name or a password',
    ['https://name@example.com/', 'https://example.com:word@evil.example', 'https://@example.com'],
  ],
  ['must not be empty', ['', ' ', '\u200b']],
  [`must have at most ${URL_MAX} characters`, [`https://example.com/${'a'.repeat(URL_MAX)}`]],
])('an address that is none says so: %s', (message, addresses) => {
  expect(addresses.map((address) => [address, problem(WebUrl, address)])).toEqual(
    addresses.map((address) => [address, message]),
  );
});

it('invisible characters are removed at both ends of an address, and an error elsewhere that names them', () => {
  for (const invisible of [
    '\u200b',
    '\u00ad',
    '\u2060',
    '\ufeff',
    '\u202e',
    '\u3164',
    '\u2800',
    '\n',
    '\t',
    '\0',
    '\u200d',
    '\ufe0f',
    '\u00a0',
    '\u2028',
    '\u3000',
  ]) {
    expect(problem(WebUrl, `${invisible}https://example.com/a${invisible}`)).toBe('https://example.com/a');
    const code = (invisible.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
    for (const [before, after] of [
      ['https://exa', 'mple.com/'],
      ['https://example.com/a', 'b'],
      ['https://example.com/?a=', 'b'],
      ['https', '://example.com'],
    ])
      expect(problem(WebUrl, `${before}${invisible}${after}`)).toContain(before === 'https' ? SCHEME : `U+${code}`);
    expect(problem(WebUrl, `https://a${invisible}.com`)).not.toContain('percent');
    expect(problem(WebUrl, `https://a.com/${invisible}b`)).toContain('percent');
    expect(problem(Host, `exa${invisible}mple.com`)).toContain('must be a host name');
    expect(problem(Host, `${invisible}example.com${invisible}`)).toBe('example.com');
  }
});

it.each([
  ['example.com', 'https://example.com'],
  ['www.example.com/a?b', 'https://www.example.com/a?b'],
  ['उदाहरण.परीक्षा/क', 'https://उदाहरण.परीक्षा/क'],
  ['ตัวอย่าง.ไทย', 'https://ตัวอย่าง.ไทย'],
  ['my_shop.example.com:8080', 'https://my_shop.example.com:8080'],
  ['i❤.ws', 'https://i❤.ws'],
  ['例え。テスト', 'https://例え。テスト'],
  ['example.com\\a', 'https://example.com\\a'],
  ['node.1', 'node.1'],
  ['10.0.0.1', '10.0.0.1'],
  ['e.g.', 'e.g.'],
  ['name@example.com', 'name@example.com'],
  ['mailto:name@example.com', 'mailto:name@example.com'],
  ['example.com/ or so', 'example.com/ or so'],
  ['example', 'example'],
  ['1.2.3', '1.2.3'],
  ['two words.com', 'two words.com'],
])('an address without a scheme gets one: %s', (written, address) => {
  expect(withScheme(written)).toBe(address);
});

const NO_HOST = 'must be a host name such as example.com, or *.com for all of a top-level domain';

it.each([
  ['*.WWW.Example.com.', 'example.com'],
  ['.example.com', 'example.com'],
  ['www.com', 'www.com'],
  ['www.com.', 'www.com'],
  ['www.www.example.com', 'example.com'],
  ['ｗｗｗ.example.com', 'example.com'],
  ['bücher。example。', 'xn--bcher-kva.example'],
  ['.xyz', '*.xyz'],
  ['*.XYZ', '*.xyz'],
  ['*.рф', '*.xn--p1ai'],
  ['BÜCHER.example', 'xn--bcher-kva.example'],
  ['localhost', 'localhost'],
  ['10.0.0.1', '10.0.0.1'],
  ['xyz', NO_HOST],
  ['xyz.', NO_HOST],
  ['*.', NO_HOST],
  ['*', NO_HOST],
  ['*.*.xyz', NO_HOST],
  ['*.-', NO_HOST],
  ['https://example.com', NO_HOST],
  ['exam\u200bple.com', NO_HOST],
  ['a..b', NO_HOST],
])('a host in a list: %s', (written, expected) => {
  expect(problem(Host, written)).toBe(expected);
});
