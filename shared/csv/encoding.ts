/** The encodings of CSV files that imports read. */
export const encodings = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

const startsWith = (bytes: Uint8Array, ...first: readonly number[]): boolean =>
  first.every((byte, position) => bytes[position] === byte);

/** UTF-16, which spreadsheets save with a byte order mark. */
export const utf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  return startsWith(bytes, 0xfe, 0xff) ? 'utf-16be' : undefined;
};

/** How many bytes are searched for the zeros of UTF-16 without a byte order mark. */
const ZEROS_WITHIN = 1000;
/** Of all characters, how many are Latin ones in a file that has column names. */
const ZEROS_MIN = 0.3;

/** UTF-16 without a byte order mark has a zero in most pairs of bytes, always at the same position. */
const unmarkedUtf16Of = (bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined => {
  const length = Math.min(bytes.length, ZEROS_WITHIN);
  const zeros = [0, 0];
  for (let at = 0; at < length; at += 1) if (bytes[at] === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros.map((count) => count / (length / 2));
  if (odd >= ZEROS_MIN && even === 0) return 'utf-16le';
  return even >= ZEROS_MIN && odd === 0 ? 'utf-16be' : undefined;
};

const ASCII_MAX = 0x7f;

const firstBeyondAscii = (bytes: Uint8Array): number => {
  for (let at = 0; at < bytes.length; at += 1) if ((bytes[at] ?? 0) > ASCII_MAX) return at;
  return -1;
};

/** The length of the UTF-8 sequence that a byte begins; 0 when it begins none. */
const sequenceLength = (first: number): number => {
  if (first >= 0xc2 && first <= 0xdf) return 2;
  if (first >= 0xe0 && first <= 0xef) return 3;
  return first >= 0xf0 && first <= 0xf4 ? 4 : 0;
};

/** Whether bytes are one valid UTF-8 sequence; undefined when they are the beginning of one. */
const isSequence = (bytes: Uint8Array): boolean | undefined => {
  const length = sequenceLength(bytes[0] ?? 0);
  if (length === 0) return false;
  const following = bytes.subarray(1, length);
  if (following.some((byte) => (byte & 0xc0) !== 0x80)) return false;
  return bytes.length < length ? undefined : true;
};

type Decoder = InstanceType<typeof TextDecoder>;

/**
 * Decodes a file block by block. Its first characters tell UTF-16. Of all other files, the first byte beyond ASCII tells
 * UTF-8 from Windows-1252, in whose texts such bytes hardly ever form UTF-8; from then on, invalid UTF-8 is an error: a wrong
 * guess would corrupt text silently.
 */
export class BlockDecoder {
  #decoder: Decoder | undefined;
  #encoding: Encoding | undefined;
  #isFirst = true;
  /** The end of the last block that may be a part of a character. */
  #held: Uint8Array = new Uint8Array();

  /** UTF-8 as long as all bytes are ASCII. */
  get encoding(): Encoding {
    return this.#encoding ?? 'utf-8';
  }

  /** @throws TypeError for text that is not in the encoding of the text before it. */
  decode(block: Uint8Array, isLast: boolean): string {
    const bytes = this.#held.length === 0 ? block : Buffer.concat([this.#held, block]);
    this.#held = new Uint8Array();
    const utf16 = this.#isFirst ? (utf16Of(bytes) ?? unmarkedUtf16Of(bytes)) : undefined;
    if (utf16) this.#begin(utf16);
    this.#isFirst = false;
    if (this.#decoder) return this.#decoder.decode(bytes, { stream: !isLast });
    const at = firstBeyondAscii(bytes);
    if (at < 0) return Buffer.from(bytes).toString('latin1');
    // The byte order mark of UTF-8 is a valid sequence too.
    const isUtf8 = isSequence(bytes.subarray(at, at + 4));
    if (isUtf8 === undefined && !isLast) {
      this.#held = bytes.subarray(at);
      return Buffer.from(bytes.subarray(0, at)).toString('latin1');
    }
    return this.#begin(isUtf8 ? 'utf-8' : 'windows-1252').decode(bytes, { stream: !isLast });
  }

  /** A decoder removes a byte order mark. */
  #begin(encoding: Encoding): Decoder {
    this.#encoding = encoding;
    this.#decoder = new TextDecoder(encoding, { fatal: true });
    return this.#decoder;
  }
}
