/**
 * The time of a test: what `Date` and `performance.now` say in this process. It stands still but for a tick at every look at
 * the monotonic clock, and moves when it is told to. Timers keep running in real time.
 */
export class VirtualTime {
  /** Milliseconds since the epoch. */
  #at: number;
  #skewMs = 0;
  #frozenMs = 0;
  #ticks = 0;
  readonly #real = globalThis.Date;

  /** Takes over the clocks of this process, until `restore`. */
  constructor(startsAt: string) {
    this.#at = Date.parse(startsAt);
    const shown = () => this.#at + this.#skewMs;
    const startedAt = this.#at;
    const RealDate = this.#real;
    globalThis.Date = class extends RealDate {
      constructor(...given: readonly unknown[]) {
        super(...((given.length === 0 ? [shown()] : given) as [number]));
      }
      static override now(): number {
        return shown();
      }
    } as DateConstructor;
    performance.now = () => {
      // Of two things that happen one after the other, one has to be later.
      this.#ticks += 1;
      return this.#at - startedAt - this.#frozenMs + this.#ticks / 1e6;
    };
  }

  /** Milliseconds since the epoch, without anybody's skew. */
  get now(): number {
    return this.#at;
  }

  /** Lets time pass, in milliseconds. */
  advance(ms: number): void {
    this.#at += ms;
  }

  /** Lets time pass of which this process knows nothing, in milliseconds: its monotonic clock stands still meanwhile. */
  freeze(ms: number): void {
    this.#at += ms;
    this.#frozenMs += ms;
  }

  /** Does something on a machine whose clock is so many milliseconds ahead, or behind where negative; one thing at a time. */
  async skewed<T>(ms: number, work: () => Promise<T>): Promise<T> {
    this.#skewMs = ms;
    try {
      return await work();
    } finally {
      this.#skewMs = 0;
    }
  }

  /** Gives the clocks back. */
  restore(): void {
    globalThis.Date = this.#real;
    // What is left is that of all clocks, which was only hidden.
    Reflect.deleteProperty(performance, 'now');
  }
}
