import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { fold } from '#catalog/folded-text.ts';
import { searchTexts } from '#catalog/text-index.ts';
import { project } from './fixtures.ts';

it.each([
  ['Café Zürich', 'cafe zurich'],
  ['Cafe\u0301', 'cafe'],
  ['Straße, STRASSE, ẞ', 'strasse, strasse, ss'],
  ['Łódź smørrebrød Đà Nẵng', 'lodz smorrebrod da nang'],
  ['Ærøskøbing, Œuvre, Þórður', 'aeroskobing, oeuvre, thordur'],
  ['ΟΔΥΣΣΕΎΣ, Οδυσσεύς', 'οδυσσευσ, οδυσσευσ'],
  ['İstanbul, ısı', 'istanbul, isi'],
  ['Ｗｉｄｅ ﬁne ①', 'wide fine 1'],
  ['Ёлка й', 'елка и'],
  ['שָׁלוֹם مُحَمَّد', 'שלום محمد'],
  ['Rock ’n’ Roll, ‘n‛ ‚n‘ `n´ ʼnʻ ′n‵ ＇n｀ Ꞌnꞌ ՚n׳ ŉ', "rock 'n' roll, 'n' 'n' 'n' 'n' 'n' 'n' 'n' 'n' 'n"],
  ['„Café“ ”a‟ «a» ‹a› ″a‶ ＂a״ ❝a❞ 「a」 『a』 ｢a｣ 〝a〟 🙶a🙷', '"cafe" "a" "a" "a" "a" "a" "a" "a" "a" "a" "a" "a"'],
  ['a‐b‑c‒d–e—f―g−h﹣i－j﹘k֊l־m⁻n', 'a-b-c-d-e-f-g-h-i-j-k-l-m-n'],
  // The prolonged sound mark of kana is a letter, and a soft hyphen is invisible.
  ['カレー so\u00adft', 'カレー soft'],
  ['in\u00advisible zero\u200bwidth', 'invisible zerowidth'],
  ['a\0b', 'ab'],
  ['\u0301\u200b', ''],
])('folds %j to %j', (text, folded) => {
  expect(fold(text)).toBe(folded);
});

it('fold keeps combining marks that form another letter', () => {
  expect(fold('が')).not.toBe(fold('か'));
  expect(fold('कि')).not.toBe(fold('का'));
  expect(fold('한국')).toBe('한국');
});

it('fold is idempotent and independent of the normalization form', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 30 }), (text) => {
      const folded = fold(text);
      expect(fold(folded)).toBe(folded);
      expect(fold(text.normalize('NFD'))).toBe(folded);
      expect(folded).not.toContain('\0');
    }),
    { seed: 1, numRuns: 2000 },
  );
});

const texts = (url: string) =>
  searchTexts.public(project({ id: 'p', name: 'N', description: 'D', url, tags: ['T', 'U'] }));

it.each([
  ['https://Tools.Example:8080/path?q#f', 'n\0d\0tools.example\0t\0u'],
  ['http://user:secret@münchen.example', 'n\0d\0munchen.example\0xn--mnchen-3ya.example\0t\0u'],
  ['http://XN--mnchen-3ya.example', 'n\0d\0xn--mnchen-3ya.example\0munchen.example\0t\0u'],
  ['http://m%C3%BCnchen.example', 'n\0d\0m%c3%bcnchen.example\0xn--mnchen-3ya.example\0munchen.example\0t\0u'],
  ['http://xn--.é[', 'n\0d\0xn--.e[\0t\0u'],
  ['not a URL', 'n\0d\0\0t\0u'],
])('the search text of the public search contains the host of %j', (url, text) => {
  expect(texts(url)).toBe(text);
});

it('the search text of the admin search contains the whole URL', () => {
  const one = project({ id: 'p', name: 'N', url: 'https://a.example/Path', description: 'Plain.', tags: ['T'] });
  expect(searchTexts.nameAndUrl(one)).toBe('n\0https://a.example/path');
  expect(searchTexts.descriptionAndTags(one)).toBe('plain.\0t');
  const other = { ...one, url: 'https://münchen.example/Path' };
  expect(searchTexts.nameAndUrl(other)).toBe('n\0https://munchen.example/path\0xn--mnchen-3ya.example');
});
