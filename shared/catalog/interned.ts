/** Texts that many listings have in common, each kept once. What was met is remembered for as long as the catalog lives. */
export class Interned {
  readonly #texts = new Map<string, string>();

  /** The kept text that is equal to this one. */
  one(text: string): string {
    const kept = this.#texts.get(text);
    if (kept !== undefined) return kept;
    this.#texts.set(text, text);
    return text;
  }

  /** The same list of kept texts. */
  list(texts: readonly string[]): readonly string[] {
    if (texts.length === 0) return NONE;
    return texts.map((text) => this.one(text));
  }
}

const NONE: readonly string[] = Object.freeze([]);
