/** The encodings of CSV files, by the names that the platform's decoder gives them. */

const marks: readonly (readonly [string, readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** What the byte order mark of a file says; undefined without one. */
export const markedEncoding = (beginning: Uint8Array): string | undefined =>
  marks.find(([, mark]) => mark.every((byte, at) => beginning[at] === byte))?.[0];

/** The text of the beginning of a file without its byte order mark. */
export const withoutMark = (text: string): string => text.replace(/^\ufeff/, '');

/** How many bytes are searched for the zeros of UTF-16 without a byte order mark. */
const ZEROS_WITHIN = 1000;
/** Of all characters, how many are Latin ones in a file that has column names. */
const ZEROS_MIN = 0.3;

/** UTF-16 without a byte order mark has a zero in most pairs of bytes, always at the same position. */
export const unmarkedUtf16 = (beginning: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const length = Math.min(beginning.length, ZEROS_WITHIN);
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (beginning[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (length / 2));
  if (odd >= ZEROS_MIN && even === 0) return 'utf-16le';
  return even >= ZEROS_MIN && odd === 0 ? 'utf-16be' : undefined;
};

/**
 * The encoding of a file: what its byte order mark says, otherwise the named one. `utf-16` stands for both orders of bytes.
 * @param name a name that `EncodingName` allows.
 */
export const encodingOf = (beginning: Uint8Array, name = 'utf-8'): string => {
  const marked = markedEncoding(beginning);
  if (marked !== undefined) return marked;
  const isEitherUtf16 = name.trim().toLowerCase() === 'utf-16';
  return (isEitherUtf16 ? unmarkedUtf16(beginning) : undefined) ?? new TextDecoder(name).encoding;
};

/** The bytes from 0x80 to 0x9f in Windows-1252. */
const WINDOWS_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ';

// Several versions of Node since 20.18.3 decode these bytes as ISO 8859-1 (https://github.com/nodejs/node/issues/56542).
const repaired = (text: string, encoding: string): string =>
  encoding === 'windows-1252'
    ? text.replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80] ?? character)
    : text;

/** Decodes bytes. What does not fit the encoding becomes U+FFFD, as does an incomplete character at the end. */
export const decodedLoosely = (bytes: Uint8Array, encoding: string): string =>
  repaired(new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes), encoding);

/** @param isWhole false when the last character may be incomplete. @returns undefined for bytes that do not fit. */
export const decoded = (bytes: Uint8Array, encoding: string, isWhole = true): string | undefined => {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return repaired(decoder.decode(bytes, { stream: !isWhole }), encoding);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};

const LF = 0x0a;
const CR = 0x0d;

/** The bytes of a code unit. In all other encodings the bytes of line breaks are part of no other character. */
const widthOf = (encoding: string): 1 | 2 => (encoding.startsWith('utf-16') ? 2 : 1);

const isBreakAt = (bytes: Uint8Array, at: number, encoding: string): boolean => {
  const [first, second] = encoding === 'utf-16be' ? [bytes[at + 1], bytes[at]] : [bytes[at], bytes[at + 1]];
  return (first === LF || first === CR) && (widthOf(encoding) === 1 || second === 0);
};

/** The length of the complete lines at the beginning of bytes; 0 when there is none. */
export const completeLines = (bytes: Uint8Array, encoding: string): number => {
  const width = widthOf(encoding);
  for (let at = bytes.length - (bytes.length % width) - width; at >= 0; at -= width) {
    if (isBreakAt(bytes, at, encoding)) return at + width;
  }
  return 0;
};

/** In place of bytes that do not fit. Noncharacters: no text has them in this order. */
export const MISFIT = '\uffff\ufffe\uffff';

/** Marks the first bytes that do not fit, which are found by halving. */
const withMisfit = (bytes: Uint8Array, encoding: string): string => {
  let fitting = 0;
  for (let step = bytes.length; step > 0; step = step > 1 ? Math.ceil(step / 2) : 0) {
    const beginning = bytes.subarray(0, fitting + step);
    if (decoded(beginning, encoding, false) !== undefined) fitting = beginning.length;
  }
  const lineAt = completeLines(bytes.subarray(0, fitting), encoding);
  const [before, after] = [bytes.subarray(0, lineAt), bytes.subarray(lineAt)];
  return decodedLoosely(before, encoding) + decodedLoosely(after, encoding).replace('\ufffd', MISFIT);
};

/** Decodes complete lines. The first bytes that do not fit become `MISFIT`, all others U+FFFD. */
export const decodedLines = (bytes: Uint8Array, encoding: string): string =>
  decoded(bytes, encoding) ?? withMisfit(bytes, encoding);

/** How much may be read until a line ends: as many characters in each encoding, in bytes. */
export const lineBytes = (max: number, encoding: string | undefined): number =>
  encoding === undefined ? max : max * widthOf(encoding);
