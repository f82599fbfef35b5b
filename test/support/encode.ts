/** Encodes texts in the encodings of the platform's decoder, which has no encoder for them. */

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** The bytes of each character that has one or two in the encoding. */
const tableOf = (encoding: string): ReadonlyMap<string, readonly number[]> => {
  const known = tables.get(encoding);
  if (known) return known;
  const decoder = new TextDecoder(encoding);
  const table = new Map<string, readonly number[]>();
  const add = (bytes: readonly number[]): boolean => {
    const text = decoder.decode(Uint8Array.from(bytes));
    const isCharacter = [...text].length === 1 && text !== '\ufffd';
    if (isCharacter && !table.has(text)) table.set(text, bytes);
    return isCharacter;
  };
  for (let first = 0; first <= 0xff; first += 1) {
    if (add([first])) continue;
    for (let second = 0x40; second <= 0xfe; second += 1) add([first, second]);
  }
  tables.set(encoding, table);
  return table;
};

/** @throws Error for a character that the encoding does not have. */
export const encode = (text: string, encoding: string): Buffer<ArrayBuffer> => {
  if (encoding === 'utf-8') return Buffer.from(text);
  if (encoding === 'utf-16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf-16be') return Buffer.from(text, 'utf16le').swap16();
  const table = tableOf(encoding);
  const bytes = [...text].flatMap((character) => {
    const of = table.get(character);
    if (!of) throw new Error(`${encoding} has no "${character}".`);
    return of;
  });
  return Buffer.from(bytes);
};

/** The characters that an encoding has in one or two bytes. */
export const charactersOf = (encoding: string): string[] => [...tableOf(encoding).keys()];
