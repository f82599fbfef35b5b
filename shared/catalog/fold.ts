/** Letters that decomposition leaves alone although people type them without their stroke or as two letters. */
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

// Vowel signs of Indic scripts and the voicing marks of kana are marks too, but they make other letters, not accents.
const ACCENTS = /[[\p{M}&&[\p{Script=Inherited}\p{Script=Arabic}\p{Script=Hebrew}]]--[\u3099\u309a]]/gv;

const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\0]/gv;

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is that of ASCII without NUL
const ASCII = /^[\x01-\x7f]*$/;

/**
 * Text in the form in which it is searched and sorted: lower case, without accents, width and ligatures, `ß` as `ss`, `ø` as
 * `o` and the like. Never contains NUL, so NUL can stand between fields. Folding twice changes nothing more.
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
