const encoder = new TextEncoder();

/** The UTF-16 units of one text at a time. In an array, because going through a text unit by unit takes several times as long. */
export class TextUnits {
  #bytes = new Uint8Array(4096);
  #units = new Uint16Array(4096);

  /**
   * The units of a text, from the beginning of an array that is longer and is used again for the next text. Behind them stands
   * a NUL.
   */
  of(text: string): Uint16Array {
    if (text.length >= this.#units.length) {
      this.#bytes = new Uint8Array(text.length * 2);
      this.#units = new Uint16Array(text.length * 2);
    }
    const { written } = encoder.encodeInto(text, this.#bytes);
    // Only ASCII has a byte for every unit, and its units are the bytes.
    if (written === text.length) this.#units.set(this.#bytes.subarray(0, written));
    else for (let i = 0; i < text.length; i += 1) this.#units[i] = text.charCodeAt(i);
    this.#units[text.length] = 0;
    return this.#units;
  }
}
