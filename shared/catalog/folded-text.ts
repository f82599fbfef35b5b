/** Letters without a canonical decomposition that are commonly typed as plain letters. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  æ: 'ae',
  œ: 'oe',
  ħ: 'h',
  ŧ: 't',
  ŋ: 'n',
  ĸ: 'k',
  ı: 'i',
  ς: 'σ',
  // The quotation marks and dashes of two UTF-16 units, which `withPlainMarks` leaves.
  '\u{1f676}': '"',
  '\u{1f677}': '"',
  '\u{1f678}': '"',
  '\u{10d6e}': '-',
  '\u{10ead}': '-',
};

const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

// Excludes the vowel signs of Indic scripts and the voicing marks of kana: they form other letters, not accents.
const ACCENTS = /[[\p{M}&&[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]]--[\u3099\u309a]]/gv;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\0]/gv;

/**
 * Apostrophes, single quotation marks, and what is typed or transliterated in their place: acute and grave accents, primes,
 * modifier letters, and signs of Greek, Armenian, Hebrew, N'Ko and languages with a saltillo. Unicode has no property for them.
 */
const APOSTROPHE =
  /[`\u00b4\u02b9\u02bb-\u02bf\u02c8\u02ca\u02cb\u055a\u05f3\u07f4\u07f5\u1fbd\u1fbf\u1ffe\u2018-\u201b\u2032\u2035\u275b\u275c\u275f\ua78b\ua78c\uff07]/;

/** All other quotation marks: double ones, angles and corners. The ASCII ones are among them. */
const QUOTATION_MARK = /[\p{Quotation_Mark}\u02ba\u02dd\u02ee\u05f4\u2033\u2036\u275d\u275e\u2760\u276e\u276f]/u;

const DASH = /\p{Dash}/u;

const plainMark = (character: string): string => {
  if (character === "'" || APOSTROPHE.test(character)) return "'";
  return QUOTATION_MARK.test(character) ? '"' : DASH.test(character) ? '-' : character;
};

/** What replaces a UTF-16 unit that is a mark, or that is decomposed into marks and others: `ŉ` becomes `'n`. */
const replacementOf = (unit: number): string | undefined => {
  const character = String.fromCharCode(unit).normalize('NFD');
  const plain = plainMark(character);
  if (plain !== character) return plain;
  const decomposed = character.normalize('NFKD');
  const result = Array.from(decomposed, plainMark).join('');
  return result === decomposed ? undefined : result;
};

/** What units are replaced by, each text once. */
const replacements: (string | undefined)[] = [];

/** By UTF-16 unit, the number of its replacement, from 1; filled as units are met, because regular expressions are slow. */
const replacementNumbers = new Uint8Array(0x1_0000);

const knownReplacement = (unit: number): string | undefined => {
  const number = replacementNumbers[unit] ?? 0;
  if (number > 0) return replacements[number - 1];
  const replacement = replacementOf(unit);
  if (!replacements.includes(replacement)) replacements.push(replacement);
  replacementNumbers[unit] = replacements.indexOf(replacement) + 1;
  return replacement;
};

/**
 * Replaces apostrophes, quotation marks and dashes by those of ASCII. Before NFKD, which makes a blank and an accent of `´` and
 * two primes of `″`. A loop, because replacing by a regular expression takes four times as long.
 */
const withPlainMarks = (text: string): string => {
  let result = '';
  let copiedTo = 0;
  for (let at = 0; at < text.length; at += 1) {
    const replacement = knownReplacement(text.charCodeAt(at));
    if (replacement === undefined) continue;
    result += text.slice(copiedTo, at) + replacement;
    copiedTo = at + 1;
  }
  return copiedTo === 0 ? text : result + text.slice(copiedTo);
};

/** ASCII without NUL and the grave accent. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII without NUL
const ASCII = /^[\x01-\x5f\x61-\x7f]*$/;

/**
 * Normalises text for search and sorting: lower case, without accents, width variants and ligatures; `ß` becomes `ss`,
 * `ø` becomes `o`. Apostrophes become `'`, other quotation marks `"`, hyphens and dashes `-`. Never contains NUL, so NUL
 * can separate fields. Idempotent.
 */
export const fold = (text: string): string => {
  if (ASCII.test(text)) return text.toLowerCase();
  const plain = withPlainMarks(text);
  // Texts in English often have no other characters beyond ASCII.
  if (ASCII.test(plain)) return plain.toLowerCase();
  return plain
    .normalize('NFKD')
    .replace(INVISIBLE, '')
    .replace(ACCENTS, '')
    .toLowerCase()
    .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
    .normalize('NFC');
};

/** What words consist of. Everything else is between words. */
const WORD_CHARACTER = /[\p{L}\p{M}\p{Nd}]/u;

const UNKNOWN = 0;
const IN_WORD = 1;
const BETWEEN = 2;

/** By UTF-16 unit beyond ASCII, what it is; filled as units are met, because the regular expression is slow. */
const unitKinds = new Uint8Array(0x1_0000);

const isInWord = (character: number): boolean => WORD_CHARACTER.test(String.fromCodePoint(character));

/**
 * The number of UTF-16 units of the letter, mark or digit at a position; 0 where there is none. Halves of characters are none,
 * so that a part of a text has no other words than parts of the words of the text.
 */
const wordUnitsAt = (units: Uint16Array, at: number): 0 | 1 | 2 => {
  const unit = units[at] ?? 0;
  // ASCII letters and digits; folded text has no upper case.
  if (unit <= 0x7f) return (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39) ? 1 : 0;
  if (unit >= 0xd800 && unit <= 0xdbff) {
    const low = units[at + 1] ?? 0;
    if (low < 0xdc00 || low > 0xdfff) return 0;
    return isInWord((unit - 0xd800) * 0x400 + (low - 0xdc00) + 0x1_0000) ? 2 : 0;
  }
  if (unitKinds[unit] === UNKNOWN) unitKinds[unit] = isInWord(unit) ? IN_WORD : BETWEEN;
  return unitKinds[unit] === IN_WORD ? 1 : 0;
};

/** The hash of an empty text; `hashWith` adds UTF-16 units one by one. */
const NO_HASH = 0x811c;

const hashWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x0100_0193);

/**
 * Visits the words of a folded text, repetitions included: start, end and `hashOf` of each. A single pass, because it
 * reads whole directories.
 * @param units the UTF-16 units of the text, followed by a NUL.
 * @param firstUnits by unit, 0 when words that begin with it are left out.
 */
export const forEachWord = (
  units: Uint16Array,
  length: number,
  visit: (from: number, to: number, hash: number) => void,
  firstUnits?: Uint8Array,
): void => {
  for (let at = 0; at < length; at += 1) {
    let width = wordUnitsAt(units, at);
    if (width === 0) continue;
    const from = at;
    let hash = NO_HASH;
    if (firstUnits && firstUnits[units[from] ?? 0] === 0) {
      for (; width > 0; width = wordUnitsAt(units, at)) at += width;
      continue;
    }
    while (width > 0) {
      hash = hashWith(hash, units[at] ?? 0);
      if (width === 2) hash = hashWith(hash, units[at + 1] ?? 0);
      at += width;
      width = wordUnitsAt(units, at);
    }
    visit(from, at, hash);
  }
};

/** A 32-bit hash in the manner of FNV-1a, over UTF-16 units. */
export const hashOf = (word: string): number => {
  let hash = NO_HASH;
  for (let i = 0; i < word.length; i += 1) hash = hashWith(hash, word.charCodeAt(i));
  return hash;
};

const BETWEEN_WORDS = /[^\p{L}\p{M}\p{Nd}]+/u;

/** The words of a folded text, repetitions included: its runs of letters, marks and digits. */
export const wordsOf = (text: string): string[] => text.split(BETWEEN_WORDS).filter((word) => word !== '');
