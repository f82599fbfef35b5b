/**
 * Columns of values as bytes: numbers as they are in memory (little-endian), texts one behind the other with their lengths
 * in front. Every column says how long it is, so that what does not fit is noticed when it is read.
 */

/** Bytes that are no columns, or not those that were asked for. */
export class ColumnsUnreadable extends Error {
  override readonly name = 'ColumnsUnreadable';
}

const NONE: readonly string[] = Object.freeze([]);

/** A copy of bytes: where they are need not be where numbers may be. */
const aligned = (bytes: Buffer): ArrayBuffer =>
  bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;

/** A text whose letters all fit into a byte is kept so; everything else is UTF-8. */
const isNarrow = (text: string): boolean => {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) > 0xff) return false;
  return true;
};

/** Writes columns; they are read in the same order. */
export class ColumnWriter {
  readonly #parts: Uint8Array[] = [];

  #add(bytes: Uint8Array): void {
    this.#parts.push(bytes);
  }

  /** A column of numbers. */
  numbers(values: readonly number[]): void {
    this.#add(new Uint8Array(Uint32Array.of(values.length).buffer));
    this.#add(new Uint8Array(Float64Array.from(values).buffer));
  }

  /** A column of well-formed texts. */
  texts(values: readonly string[]): void {
    const narrow = values.map(isNarrow);
    const encoded = values.map((text, at) => Buffer.from(text, narrow[at] ? 'latin1' : 'utf8'));
    const lengths = Uint32Array.from(encoded, (bytes, at) => bytes.length * 2 + (narrow[at] ? 0 : 1));
    const blob = Buffer.concat(encoded);
    this.#add(new Uint8Array(Uint32Array.of(values.length, blob.length).buffer));
    this.#add(new Uint8Array(lengths.buffer));
    this.#add(blob);
  }

  /** A column of texts of which some are missing. */
  textsOrNull(values: readonly (string | null)[]): void {
    this.numbers(values.map((value) => (value === null ? 1 : 0)));
    this.texts(values.filter((value) => value !== null));
  }

  /** A column of texts that recur. */
  words(values: readonly string[]): void {
    const places = new Map<string, number>();
    for (const value of values) if (!places.has(value)) places.set(value, places.size);
    this.texts([...places.keys()]);
    this.numbers(values.map((value) => places.get(value) as number));
  }

  /** A column of lists of texts that recur. */
  lists(values: readonly (readonly string[])[]): void {
    this.numbers(values.map((list) => list.length));
    this.words(values.flat());
  }

  /** All columns. */
  bytes(): Uint8Array {
    return Buffer.concat(this.#parts);
  }
}

/** Reads columns in the order in which they were written. @throws {ColumnsUnreadable} from each method. */
export class ColumnReader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  #take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new ColumnsUnreadable('There is less than there should be.');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  #uint(): number {
    return this.#take(4).readUInt32LE();
  }

  numbers(): Float64Array {
    const length = this.#uint();
    const bytes = this.#take(length * Float64Array.BYTES_PER_ELEMENT);
    return new Float64Array(aligned(bytes));
  }

  texts(): string[] {
    const [count, size] = [this.#uint(), this.#uint()];
    const lengths = new Uint32Array(aligned(this.#take(count * Uint32Array.BYTES_PER_ELEMENT)));
    const blob = this.#take(size);
    const values = new Array<string>(count);
    let from = 0;
    for (let at = 0; at < count; at += 1) {
      const length = lengths[at] as number;
      const to = from + (length >>> 1);
      if (to > size) throw new ColumnsUnreadable('A text is longer than all of them together.');
      values[at] = blob.toString(length & 1 ? 'utf8' : 'latin1', from, to);
      from = to;
    }
    if (from !== size) throw new ColumnsUnreadable('There is more text than texts.');
    return values;
  }

  textsOrNull(): (string | null)[] {
    const missing = this.numbers();
    const texts = this.texts();
    const values = new Array<string | null>(missing.length);
    let next = 0;
    for (let at = 0; at < missing.length; at += 1) {
      const value = missing[at] === 1 ? null : texts[next++];
      if (value === undefined) throw new ColumnsUnreadable('A text is missing.');
      values[at] = value;
    }
    if (next !== texts.length) throw new ColumnsUnreadable('There is more text than texts.');
    return values;
  }

  words(): string[] {
    const words = this.texts();
    const places = this.numbers();
    const values = new Array<string>(places.length);
    for (let at = 0; at < places.length; at += 1) {
      const word = words[places[at] as number];
      if (word === undefined) throw new ColumnsUnreadable('A word is missing.');
      values[at] = word;
    }
    return values;
  }

  lists(): (readonly string[])[] {
    const lengths = this.numbers();
    const words = this.words();
    const lists = new Array<readonly string[]>(lengths.length);
    let from = 0;
    for (let at = 0; at < lengths.length; at += 1) {
      const to = from + (lengths[at] as number);
      const list = from === to ? NONE : words.slice(from, to);
      if (list.length !== to - from) throw new ColumnsUnreadable('A list is longer than all of them together.');
      lists[at] = list;
      from = to;
    }
    if (from !== words.length) throw new ColumnsUnreadable('There are more words than lists.');
    return lists;
  }

  /** Checks that nothing is left. */
  end(): void {
    if (this.#at !== this.#bytes.length) throw new ColumnsUnreadable('There is more than there should be.');
  }
}
