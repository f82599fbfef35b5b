import { Postings } from './postings.ts';

/** The length of the pieces by which words are found; shorter texts have pieces of their own length. */
const GRAM = 3;

/** Numbered words, found by any text of two or more characters that they contain. Numbers are used again. */
export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly #words: string[] = [];
  readonly #free: number[] = [];
  readonly #grams = new Postings<string>();

  idOf(word: string): number | undefined {
    return this.#ids.get(word);
  }

  /** Takes in a word that is not there and answers its number. */
  add(word: string): number {
    const id = this.#free.pop() ?? this.#words.length;
    this.#ids.set(word, id);
    this.#words[id] = word;
    for (const gram of grams(word)) this.#grams.add(gram, id);
    return id;
  }

  delete(word: string): void {
    const id = this.#ids.get(word);
    if (id === undefined) return;
    this.#ids.delete(word);
    this.#words[id] = '';
    this.#free.push(id);
    for (const gram of grams(word)) this.#grams.delete(gram, id);
  }

  /** Visits the numbers of the words that contain a text of at least two characters. */
  containing(text: string, visit: (id: number) => void): void {
    if (text.length <= GRAM) {
      this.#grams.get(text)?.forEach(visit);
      return;
    }
    // All pieces have to be in the word, so the rarest one alone leaves few words to look at.
    let rarest = this.#grams.get(text.slice(0, GRAM));
    for (let i = 1; i <= text.length - GRAM && rarest; i += 1) {
      const set = this.#grams.get(text.slice(i, i + GRAM));
      if (!set || set.size < rarest.size) rarest = set;
    }
    rarest?.forEach((id) => {
      if (this.#words[id]?.includes(text)) visit(id);
    });
  }
}

/** Every piece of two and of three characters. */
const grams = function* (word: string): IterableIterator<string> {
  for (let i = 2; i <= word.length; i += 1) {
    yield word.slice(i - 2, i);
    if (i >= GRAM) yield word.slice(i - GRAM, i);
  }
};
