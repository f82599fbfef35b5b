import type { Bitmap } from './bitmap.ts';

/** The smallest capacity of a list, as a power of two. */
const MIN_POWER = 1;

/**
 * Numbered lists of small integers in one array: most have so few members that an array for each would take several
 * times the memory. The capacity of a list is a power of two; a full list moves to a block of twice the size, and its
 * old block is reused for the next list of that capacity. Members are unordered.
 */
export class ListPool {
  #members = new Uint32Array(1024);
  #used = 0;
  /** By list: the start of its block, its number of members, and its capacity as a power of two. */
  #start = new Uint32Array(256);
  #size = new Uint32Array(256);
  #power = new Uint8Array(256);
  /** By power of two, the starts of the free blocks. */
  readonly #free: number[][] = Array.from({ length: 32 }, () => []);

  /** The number of members; 0 for an unknown list. */
  sizeOf(list: number): number {
    return this.#size[list] ?? 0;
  }

  /** Appends a member, which the list must not contain yet. */
  add(list: number, member: number): void {
    if (list >= this.#size.length) this.#growLists(list);
    const size = this.#size[list] ?? 0;
    if (size === 0) this.#allocate(list, MIN_POWER);
    else if (size === 1 << (this.#power[list] ?? 0)) this.#grow(list, size);
    this.#members[(this.#start[list] ?? 0) + size] = member;
    this.#size[list] = size + 1;
  }

  /** @returns whether the list contained the member. */
  delete(list: number, member: number): boolean {
    const size = this.sizeOf(list);
    const start = this.#start[list] ?? 0;
    for (let index = start; index < start + size; index += 1) {
      if (this.#members[index] !== member) continue;
      this.#members[index] = this.#members[start + size - 1] ?? 0;
      this.#size[list] = size - 1;
      if (size === 1) this.#release(list);
      return true;
    }
    return false;
  }

  clear(list: number): void {
    if (this.sizeOf(list) === 0) return;
    this.#size[list] = 0;
    this.#release(list);
  }

  /** The most recently appended member, provided that none was deleted since. */
  lastOf(list: number): number | undefined {
    const size = this.sizeOf(list);
    return size === 0 ? undefined : this.#members[(this.#start[list] ?? 0) + size - 1];
  }

  /** Visits the members of a list; `visit` must not write to the pool. */
  forEach(list: number, visit: (member: number) => void): void {
    const start = this.#start[list] ?? 0;
    const end = start + this.sizeOf(list);
    for (let index = start; index < end; index += 1) visit(this.#members[index] ?? 0);
  }

  /** Adds the members of a list to a bitmap. */
  addTo(list: number, bitmap: Bitmap): void {
    const start = this.#start[list] ?? 0;
    const end = start + this.sizeOf(list);
    for (let index = start; index < end; index += 1) bitmap.add(this.#members[index] ?? 0);
  }

  #allocate(list: number, power: number): void {
    const length = 1 << power;
    let start = this.#free[power]?.pop();
    if (start === undefined) {
      start = this.#used;
      this.#used += length;
      if (this.#used > this.#members.length) this.#growMembers();
    }
    this.#start[list] = start;
    this.#power[list] = power;
  }

  #release(list: number): void {
    this.#free[this.#power[list] ?? 0]?.push(this.#start[list] ?? 0);
  }

  #grow(list: number, size: number): void {
    const start = this.#start[list] ?? 0;
    const power = this.#power[list] ?? 0;
    this.#allocate(list, power + 1);
    this.#members.copyWithin(this.#start[list] ?? 0, start, start + size);
    this.#free[power]?.push(start);
  }

  #growMembers(): void {
    // By half instead of doubling: unused capacity is memory all the same.
    const grown = new Uint32Array(Math.max(this.#used, Math.ceil(this.#members.length * 1.5)));
    grown.set(this.#members);
    this.#members = grown;
  }

  #growLists(list: number): void {
    const length = Math.max(list + 1, Math.ceil(this.#size.length * 1.5));
    const start = new Uint32Array(length);
    const size = new Uint32Array(length);
    const power = new Uint8Array(length);
    start.set(this.#start);
    size.set(this.#size);
    power.set(this.#power);
    [this.#start, this.#size, this.#power] = [start, size, power];
  }
}
