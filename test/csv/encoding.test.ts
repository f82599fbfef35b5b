import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { completeLines, decodedLines, encodingOf, MISFIT } from '#shared/csv/encoding.ts';
import { proposedEncoding } from '#shared/csv/propose-encoding.ts';
import { charactersOf, encode } from '#test/support/encode.ts';

const MARK = '\ufeff';

it.each([
  ['no mark and no name', encode('Zürich', 'utf-8'), undefined, 'utf-8'],
  ['no mark and other bytes', encode('Zürich', 'windows-1252'), undefined, 'utf-8'],
  ['the mark of UTF-8', encode(`${MARK}a`, 'utf-8'), undefined, 'utf-8'],
  ['the mark of UTF-8 beside another name', encode(`${MARK}a`, 'utf-8'), 'windows-1251', 'utf-8'],
  ['the mark of UTF-16', encode(`${MARK}a`, 'utf-16le'), undefined, 'utf-16le'],
  ['the mark of UTF-16 in the other order', encode(`${MARK}a`, 'utf-16be'), 'utf-16', 'utf-16be'],
  ['a name', encode('a', 'utf-8'), 'Shift_JIS', 'shift_jis'],
  ['another name of it', encode('a', 'utf-8'), ' latin1 ', 'windows-1252'],
  ['UTF-16 without a mark', encode('name', 'utf-16le'), 'UTF-16', 'utf-16le'],
  ['UTF-16 without a mark in the other order', encode('name', 'utf-16be'), 'utf-16', 'utf-16be'],
])('the encoding of a file with %s', (_, bytes, name, encoding) => {
  expect(encodingOf(bytes, name)).toBe(encoding);
});

it('every byte of Windows-1252 is decoded as the Encoding Standard says', () => {
  const bytes = Uint8Array.from({ length: 0x100 }, (_, byte) => byte);
  const text = decodedLines(bytes, 'windows-1252');
  expect([...text.slice(0x80, 0xa0)].map((character) => character.codePointAt(0)?.toString(16)).join(' ')).toBe(
    '20ac 81 201a 192 201e 2026 2020 2021 2c6 2030 160 2039 152 8d 17d 8f 90 2018 2019 201c 201d 2022 2013 2014 2dc 2122 161 203a 153 9d 17e 178',
  );
  expect(text.slice(0, 0x80) + text.slice(0xa0)).toBe(
    [...bytes.slice(0, 0x80), ...bytes.slice(0xa0)].map((byte) => String.fromCodePoint(byte)).join(''),
  );
});

const encodings = [
  'utf-8',
  'utf-16le',
  'utf-16be',
  'windows-1251',
  'macintosh',
  'shift_jis',
  'euc-jp',
  'gb18030',
  'big5',
];

it.each(encodings)('a text in %s is the same whichever blocks it is read in', (encoding) => {
  const own = encoding.startsWith('utf') ? [...'aé漢\u0a0d\u0d0a\u010a😀'] : charactersOf(encoding);
  const character = fc.oneof(fc.constantFrom('\n', '\r', '\r\n', ','), fc.constantFrom(...own));
  const text = fc.string({ unit: character, maxLength: 60 });
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 40 }), (given, size) => {
      const bytes = encode(given, encoding);
      let read = '';
      for (let from = 0, length = size; from < bytes.length; ) {
        const part = bytes.subarray(from, from + length);
        const end = from + length >= bytes.length ? part.length : completeLines(part, encoding);
        read += decodedLines(part.subarray(0, end), encoding);
        from += end;
        length = end === 0 ? length + size : size;
      }
      expect(read).toBe(given);
    }),
  );
});

it.each([
  ['UTF-8', 'utf-8', [0xe9]],
  ['UTF-8 at its end', 'utf-8', [0xc3]],
  ['UTF-16: half a character', 'utf-16le', [0x00, 0xd8]],
  ['UTF-16: half a unit', 'utf-16be', [0x00]],
  ['Shift_JIS', 'shift_jis', [0xfd]],
])('the first bytes that do not fit are marked: %s', (_, encoding, bytes) => {
  const [before, after] = [encode('a\r\nb\r\n', encoding), encode('\nc\n', encoding)];
  const file = Buffer.concat([before, encode('x', encoding), Buffer.from(bytes)]);
  expect(decodedLines(file, encoding)).toBe(`a\r\nb\r\nx${MISFIT}`);
  if (encoding === 'utf-16be') return;
  const twice = Buffer.concat([file, after, encode('y', encoding), Buffer.from(bytes)]);
  expect(decodedLines(twice, encoding)).toBe(`a\r\nb\r\nx${MISFIT}\nc\ny\ufffd`);
});

// Invented places, one record each.
const samples: readonly (readonly [string, string, string])[] = [
  ['utf-8', 'Künstler-Café', 'Gemütlich, für alle geöffnet.'],
  ['utf-16le', 'Noodle house', 'Noodles every day.'],
  ['utf-16be', 'Noodle house', 'Noodles every day.'],
  ['windows-1252', 'Künstler-Café', 'Gemütlich, für alle geöffnet – seit 1999.'],
  ['macintosh', 'Café de la gare', 'Cuisine française, déjeuner à toute heure, crème brûlée.'],
  ['windows-1251', 'Кафе на Неве', 'Уютное кафе у реки, свежая выпечка каждый день.'],
  ['koi8-r', 'Кафе на Неве', 'Уютное кафе у реки, свежая выпечка каждый день.'],
  ['windows-1254', 'Çiğdem Kahvesi', 'Şirin bir kahve, güneşli bahçe, ışık.'],
  ['windows-1256', 'مقهى القاهرة', 'مكان هادئ وخبز طازج كل يوم.'],
  ['shift_jis', '東京カフェ', '静かな喫茶店です。毎日焼きたてのパンがあります。'],
  ['euc-jp', '東京カフェ', '静かな喫茶店です。毎日焼きたてのパンがあります。'],
  ['gb18030', '北京咖啡馆', '每天新鲜烘焙的面包,安静的咖啡馆。'],
  ['big5', '台北咖啡館', '每天新鮮烘焙的麵包,安靜的咖啡館。'],
  ['euc-kr', '서울 카페', '매일 갓 구운 빵이 있는 조용한 카페입니다.'],
];

it.each(samples)('the likely encoding of a file in %s is proposed', (encoding, name, description) => {
  const file = encode(`name,url,description\n"${name}",https://a.example/,"${description}"\n`, encoding);
  expect(proposedEncoding(file, true)).toBe(encoding);
});

it('a proposed encoding is one in which the beginning of a file can be read', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, isWhole) => {
      const encoding = proposedEncoding(bytes, isWhole);
      if (encoding.startsWith('utf-16') || bytes.slice(0, 3).join() === '239,187,191') return;
      expect(() => new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: !isWhole })).not.toThrow();
    }),
  );
});

it('the encoding of a megabyte of letters without a blank is proposed', () => {
  const letters = Buffer.concat([Buffer.from('name\n'), Buffer.from([0xe9, 0x20]), Buffer.alloc(1_000_000, 'a')]);
  expect(proposedEncoding(letters, false)).toBe('windows-1252');
});

it('a character that is cut at the end of the beginning says nothing about the encoding', () => {
  const bytes = encode('name\nZürich', 'utf-8');
  const cut = bytes.subarray(0, bytes.indexOf(0xc3) + 1);
  expect(proposedEncoding(cut, false)).toBe('utf-8');
  expect(proposedEncoding(cut, true)).not.toBe('utf-8');
});
