import { LRUCache } from 'lru-cache';

/** Texts that were made from some state, by a key. All are dropped when the state is another one. */
export class DerivedTexts<Value extends { readonly text: string }> {
  readonly #texts: LRUCache<string, Value>;
  #state: readonly unknown[] = [];

  /** @param charactersMax the size of texts and keys; what was not used for longest is dropped beyond it. */
  constructor(charactersMax: number) {
    this.#texts = new LRUCache({
      maxSize: charactersMax,
      sizeCalculation: ({ text }, key) => key.length + text.length,
    });
  }

  /** The texts from this state, whose members are compared by identity. */
  from(...state: readonly unknown[]): Pick<LRUCache<string, Value>, 'get' | 'set'> {
    if (state.some((member, index) => member !== this.#state[index])) this.#texts.clear();
    this.#state = state;
    return this.#texts;
  }
}
