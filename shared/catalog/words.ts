const isWordUnit = (unit: number): boolean =>
  // Everything beyond ASCII, and the ASCII letters and digits; folded text has no upper case.
  unit > 0x7f || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);

/** The hash of an empty text; `hashWith` adds UTF-16 units one by one. */
const NO_HASH = 0x811c;

const hashWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x0100_0193);

/**
 * Visits the words of a folded text, repetitions included: start, end and `hashOf` of each. A single pass, because it
 * reads whole directories.
 * @param units the UTF-16 units of the text, followed by a NUL.
 */
export const forEachWord = (
  units: Uint16Array,
  length: number,
  visit: (from: number, to: number, hash: number) => void,
): void => {
  for (let at = 0; at < length; at += 1) {
    let unit = units[at] ?? 0;
    if (!isWordUnit(unit)) continue;
    const from = at;
    let hash = NO_HASH;
    while (isWordUnit(unit)) {
      hash = hashWith(hash, unit);
      at += 1;
      unit = units[at] ?? 0;
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

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ranges are all ASCII except letters and digits
const BETWEEN_WORDS = /[\x00-\x2f\x3a-\x60\x7b-\x7f]+/;

/** The words of a folded text, repetitions included. */
export const wordsOf = (text: string): string[] => text.split(BETWEEN_WORDS).filter((word) => word !== '');
