import type { Bitmap } from './bitmap.ts';

/** The smallest room that is given to a list, as a power of two. */
const LEAST = 1;

/**
 * Numbered lists of small whole numbers, all in one array: most have so few members that an array for each would cost several times
 * as much. A list has room for a power of two of members and moves into twice as much when that is used up; the room
 * that it leaves serves the next list of that size. Members are in no order.
 */
export class ListPool {
  #members = new Uint32Array(1024);
  #used = 0;
  /** By list: where its room begins, how many members it has, and the power of two of its room. */
  #start = new Uint32Array(256);
  #size = new Uint32Array(256);
  #room = new Uint8Array(256);
  /** By power of two, where rooms begin that nobody uses. */
  readonly #free: number[][] = Array.from({ length: 32 }, () => []);

  /** How many members a list has; none when it was never written to. */
  sizeOf(list: number): number {
    return this.#size[list] ?? 0;
  }

  /** Appends a member, which the list must not have yet. */
  add(list: number, member: number): void {
    if (list >= this.#size.length) this.#growLists(list);
    const size = this.#size[list] ?? 0;
    if (size === 0) this.#give(list, LEAST);
    else if (size === 1 << (this.#room[list] ?? 0)) this.#widen(list, size);
    this.#members[(this.#start[list] ?? 0) + size] = member;
    this.#size[list] = size + 1;
  }

  /** Takes a member out; answers whether the list had it. */
  delete(list: number, member: number): boolean {
    const size = this.sizeOf(list);
    const start = this.#start[list] ?? 0;
    for (let place = start; place < start + size; place += 1) {
      if (this.#members[place] !== member) continue;
      this.#members[place] = this.#members[start + size - 1] ?? 0;
      this.#size[list] = size - 1;
      if (size === 1) this.#giveBack(list);
      return true;
    }
    return false;
  }

  /** Forgets all members of a list. */
  clear(list: number): void {
    if (this.sizeOf(list) === 0) return;
    this.#size[list] = 0;
    this.#giveBack(list);
  }

  /** The member that was appended last, as long as none was taken out. */
  lastOf(list: number): number | undefined {
    const size = this.sizeOf(list);
    return size === 0 ? undefined : this.#members[(this.#start[list] ?? 0) + size - 1];
  }

  /** Visits the members of a list; the pool must not be written to meanwhile. */
  forEach(list: number, visit: (member: number) => void): void {
    const start = this.#start[list] ?? 0;
    const end = start + this.sizeOf(list);
    for (let place = start; place < end; place += 1) visit(this.#members[place] ?? 0);
  }

  /** Adds the members of a list to a bitmap. */
  addTo(list: number, bitmap: Bitmap): void {
    const start = this.#start[list] ?? 0;
    const end = start + this.sizeOf(list);
    for (let place = start; place < end; place += 1) bitmap.add(this.#members[place] ?? 0);
  }

  #give(list: number, power: number): void {
    const length = 1 << power;
    let start = this.#free[power]?.pop();
    if (start === undefined) {
      start = this.#used;
      this.#used += length;
      if (this.#used > this.#members.length) this.#growMembers();
    }
    this.#start[list] = start;
    this.#room[list] = power;
  }

  #giveBack(list: number): void {
    this.#free[this.#room[list] ?? 0]?.push(this.#start[list] ?? 0);
  }

  #widen(list: number, size: number): void {
    const start = this.#start[list] ?? 0;
    const power = this.#room[list] ?? 0;
    this.#give(list, power + 1);
    this.#members.copyWithin(this.#start[list] ?? 0, start, start + size);
    this.#free[power]?.push(start);
  }

  #growMembers(): void {
    // Half as much again and not twice: what is asked for and not used is memory all the same.
    const grown = new Uint32Array(Math.max(this.#used, Math.ceil(this.#members.length * 1.5)));
    grown.set(this.#members);
    this.#members = grown;
  }

  #growLists(list: number): void {
    const length = Math.max(list + 1, Math.ceil(this.#size.length * 1.5));
    const start = new Uint32Array(length);
    const size = new Uint32Array(length);
    const room = new Uint8Array(length);
    start.set(this.#start);
    size.set(this.#size);
    room.set(this.#room);
    [this.#start, this.#size, this.#room] = [start, size, room];
  }
}
