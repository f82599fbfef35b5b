/** Folds only the characters that `FeedSimulation` writes. */
export const plainFold = (text: string): string =>
  text
    .replace(/[`´‘’ʼ]/g, "'")
    .replace(/[„“”«»″]/g, '"')
    .replace(/[‐–—−]/g, '-')
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .replaceAll('ø', 'o')
    .replaceAll('ł', 'l')
    .replaceAll('æ', 'ae');

/** Compares only the characters of the tags that `FeedSimulation` writes. */
export const isSameTag = (one: string, other: string): boolean =>
  one.normalize('NFKC').toLowerCase() === other.normalize('NFKC').toLowerCase();
