import { Bitmap } from './bitmap.ts';

/**
 * Bitmaps that answer one question after the other. Made anew for each, they would be what the garbage collector spends most of
 * its time on, and it would then look through the whole catalog.
 */
export class BitmapPool {
  readonly #bitmaps: Bitmap[] = [];
  #lent = 0;

  /** An empty bitmap with room for `capacity` ids; the borrower's until the next `reclaim`. */
  lend(capacity: number): Bitmap {
    let bitmap = this.#bitmaps[this.#lent];
    if (bitmap) {
      bitmap.reset(capacity);
    } else {
      bitmap = new Bitmap(capacity);
      this.#bitmaps.push(bitmap);
    }
    this.#lent += 1;
    return bitmap;
  }

  /** Takes back all bitmaps: nobody may use one that was lent before. */
  reclaim(): void {
    this.#lent = 0;
  }
}
