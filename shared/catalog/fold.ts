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
};

const PLAIN_LETTERS = new RegExp(`[${Object.keys(PLAIN).join('')}]`, 'gu');

// Excludes the vowel signs of Indic scripts and the voicing marks of kana: they form other letters, not accents.
const ACCENTS = /[[\p{M}&&[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]]--[\u3099\u309a]]/gv;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\0]/gv;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII without NUL
const ASCII = /^[\x01-\x7f]*$/;

/**
 * Normalises text for search and sorting: lower case, without accents, width variants and ligatures; `ß` becomes `ss`,
 * `ø` becomes `o`. Never contains NUL, so NUL can separate fields. Idempotent.
 */
export const fold = (text: string): string =>
  ASCII.test(text)
    ? text.toLowerCase()
    : text
        .normalize('NFKD')
        .replace(INVISIBLE, '')
        .replace(ACCENTS, '')
        .toLowerCase()
        .replace(PLAIN_LETTERS, (letter) => PLAIN[letter] ?? letter)
        .normalize('NFC');
