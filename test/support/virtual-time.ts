/**
 * Replaces `Date` and `performance.now` in this process. The time advances only by calls of `advance` and `freeze`, and by
 * 1 ns per read of the monotonic clock. Timers keep running in real time.
 */
export class VirtualTime {
  /** Milliseconds since the epoch. */
  #at: number;
  #skewMs = 0;
  #frozenMs = 0;
  #ticks = 0;
  readonly #real = globalThis.Date;

  /** Replaces the clocks of this process until `restore`. */
  constructor(startsAt: string) {
    this.#at = Date.parse(startsAt);
    const skewedNow = () => this.#at + this.#skewMs;
    const startedAt = this.#at;
    const RealDate = this.#real;
    globalThis.Date = class extends RealDate {
      constructor(...given: readonly unknown[]) {
        super(...((given.length === 0 ? [skewedNow()] : given) as [number]));
      }
      static override now(): number {
        return skewedNow();
      }
    } as DateConstructor;
    performance.now = () => {
      // Successive reads differ, so that their order is preserved.
      this.#ticks += 1;
      return this.#at - startedAt - this.#frozenMs + this.#ticks / 1e6;
    };
  }

  /** Milliseconds since the epoch, without skew. */
  get now(): number {
    return this.#at;
  }

  /** Advances both clocks, in milliseconds. */
  advance(ms: number): void {
    this.#at += ms;
  }

  /** Advances the wall clock only, as when a Lambda environment is frozen, in milliseconds. */
  freeze(ms: number): void {
    this.#at += ms;
    this.#frozenMs += ms;
  }

  /** Runs work with a wall clock that is ahead by `ms`, or behind if negative. Calls must not overlap. */
  async skewed<T>(ms: number, work: () => Promise<T>): Promise<T> {
    this.#skewMs = ms;
    try {
      return await work();
    } finally {
      this.#skewMs = 0;
    }
  }

  /** Restores the real clocks. */
  restore(): void {
    globalThis.Date = this.#real;
    // Uncovers the method of the prototype.
    Reflect.deleteProperty(performance, 'now');
  }
}
