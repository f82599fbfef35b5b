import { hashOf } from './folded-text.ts';
import { ListPool } from './list-pool.ts';
import { matchOf, type QueryWord, SignatureFilter, signatureOf, type WordMatch } from './word-match.ts';
import { WordTable } from './word-table.ts';

/** The length of a trigram in UTF-16 units. */
export const TRIGRAM = 3;

/** Trigrams are hashed into this many buckets. A collision costs some more comparisons, never a wrong result. */
const TRIGRAM_BUCKETS = 2 ** 15;

/** First units are told apart up to this many. */
const FIRST_UNITS = 256;

const firstOf = (word: string): number => word.charCodeAt(0) % FIRST_UNITS;

/** Numbered words, found by equality with a part of a text or by any substring of at least `TRIGRAM` units. */
export class Vocabulary {
  readonly #table = new WordTable();
  /** By trigram bucket, the numbers of the words that contain it. */
  readonly #postings = new ListPool();
  /** By number of the word; undefined until words are matched by more than equality. */
  #signatures: Uint32Array | undefined;
  /** By first UTF-16 unit, which some share, the numbers of the words with signatures. */
  readonly #byFirst = new ListPool();

  /** See `WordTable.find`. */
  find(units: Uint16Array, from: number, to: number, hash: number): number | undefined {
    return this.#table.find(units, from, to, hash);
  }

  /** Adds an unknown word and returns its number. */
  add(word: string): number {
    const id = this.#table.add(word);
    if (this.#signatures) this.#sign(this.#signatures, id, word);
    for (let i = 0; i <= word.length - TRIGRAM; i += 1) {
      const trigram = trigramAt(word, i);
      // A word may contain the same trigram twice.
      if (this.#postings.lastOf(trigram) !== id) this.#postings.add(trigram, id);
    }
    return id;
  }

  delete(id: number): void {
    const word = this.#table.word(id);
    this.#table.delete(id);
    if (this.#signatures) this.#byFirst.delete(firstOf(word), id);
    for (let i = 0; i <= word.length - TRIGRAM; i += 1) this.#postings.delete(trigramAt(word, i), id);
  }

  /** Visits the numbers of the words that contain the text. */
  containing(text: string, visit: (id: number) => void): void {
    this.#postings.forEach(this.#rarestTrigramOf(text), (id) => {
      if (this.#table.word(id).includes(text)) visit(id);
    });
  }

  /** Visits the numbers of the words that a word of a search matches. */
  matching(word: QueryWord, visit: (id: number, match: WordMatch) => void): void {
    if (word.place === 'whole' && word.typosMax === 0) {
      const units = Uint16Array.from({ length: word.text.length }, (_, at) => word.text.charCodeAt(at));
      const id = this.find(units, 0, word.text.length, hashOf(word.text));
      if (id !== undefined) visit(id, { typos: 0, isWhole: true });
      return;
    }
    const filter = new SignatureFilter(word);
    const signatures = this.#allSignatures();
    const visitIfMatching = (id: number): void => {
      if (!filter.mayMatch(signatures[id] ?? 0)) return;
      const match = matchOf(word, this.#table.word(id));
      if (match) visit(id, match);
    };
    // Words have no typo in the first character.
    if (word.place !== 'anywhere') this.#byFirst.forEach(firstOf(word.text), visitIfMatching);
    else for (let first = 0; first < FIRST_UNITS; first += 1) this.#byFirst.forEach(first, visitIfMatching);
  }

  word(id: number): string {
    return this.#table.word(id);
  }

  #allSignatures(): Uint32Array {
    if (this.#signatures) return this.#signatures;
    this.#signatures = new Uint32Array(this.#table.capacity);
    for (let id = 0; id < this.#table.capacity; id += 1) {
      const word = this.#table.word(id);
      if (word !== '') this.#sign(this.#signatures, id, word);
    }
    return this.#signatures;
  }

  #sign(signatures: Uint32Array, id: number, word: string): void {
    this.#byFirst.add(firstOf(word), id);
    let signed = signatures;
    if (id >= signatures.length) {
      signed = new Uint32Array(Math.ceil((id + 1) * 1.25));
      signed.set(signatures);
      this.#signatures = signed;
    }
    signed[id] = signatureOf(word);
  }

  /** A word that contains the text contains all its trigrams, so the rarest one gives the fewest candidates. */
  #rarestTrigramOf(text: string): number {
    let rarest = trigramAt(text, 0);
    for (let i = 1; i <= text.length - TRIGRAM; i += 1) {
      const trigram = trigramAt(text, i);
      if (this.#postings.sizeOf(trigram) < this.#postings.sizeOf(rarest)) rarest = trigram;
    }
    return rarest;
  }
}

/** The bucket, below `TRIGRAM_BUCKETS`, of the trigram at a position of a word. */
const trigramAt = (word: string, at: number): number => {
  const units =
    (Math.imul(word.charCodeAt(at), 961) + Math.imul(word.charCodeAt(at + 1), 31)) ^ word.charCodeAt(at + 2);
  return (Math.imul(units, 0x9e37_79b1) >>> 17) & (TRIGRAM_BUCKETS - 1);
};
