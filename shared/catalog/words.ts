const isWordUnit = (unit: number): boolean =>
  // Letters of every script and their signs make words; of ASCII only letters and digits do, and folded letters are small.
  unit > 0x7f || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x30 && unit <= 0x39);

/** The hash of a text without any units; `hashWith` adds them one by one. */
const NO_HASH = 0x811c;

const hashWith = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x0100_0193);

/**
 * Visits where each word of a folded text, given as its units with a NUL behind them, begins and ends, and its hash as `hashOf`
 * tells it; repeated words repeatedly. In one pass, because whole directories are read through it.
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

/** The hash of a word: any 32 bits. */
export const hashOf = (word: string): number => {
  let hash = NO_HASH;
  for (let i = 0; i < word.length; i += 1) hash = hashWith(hash, word.charCodeAt(i));
  return hash;
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ranges are all of ASCII that makes no words
const BETWEEN_WORDS = /[\x00-\x2f\x3a-\x60\x7b-\x7f]+/;

/** The words of a folded text, repeated ones repeatedly. */
export const wordsOf = (text: string): string[] => text.split(BETWEEN_WORDS).filter((word) => word !== '');
