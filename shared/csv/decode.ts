const startsWith = (bytes: Uint8Array, ...first: readonly number[]): boolean =>
  first.every((byte, position) => bytes[position] === byte);

// What spreadsheets save as "Unicode text" says so by its first bytes; everything else has to be UTF-8.
const encodingOf = (bytes: Uint8Array): string => {
  if (startsWith(bytes, 0xff, 0xfe)) return 'utf-16le';
  if (startsWith(bytes, 0xfe, 0xff)) return 'utf-16be';
  return 'utf-8';
};

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark; without the mark. Undefined when the bytes are in some
 * other encoding: a guess would go wrong without anybody noticing.
 */
export const decodeText = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
};
