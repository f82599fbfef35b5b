import { AsyncResource } from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

const realSetImmediate = setImmediate;

/**
 * Replaces the clocks and timers of this process: time passes only in `run`, from one timer to the next. Everything between
 * two timers takes no time, so that the result does not depend on the speed of the machine.
 */
export class VirtualClock {
  /** Milliseconds since the start. */
  now = 0;
  readonly #timers = new Map<number, Timer>();
  #created = 0;
  readonly #startedAt = Date.parse('2026-03-01T00:00:00.000Z');

  install(): void {
    const schedule = (run: () => void, ms = 0): number => {
      this.#created += 1;
      this.#timers.set(this.#created, { at: this.now + Math.max(0, ms), run: AsyncResource.bind(run) });
      return this.#created;
    };
    const cancel = (timer: unknown): void => {
      this.#timers.delete(Number(timer));
    };
    const wait = <T>(ms: number, value: T): Promise<T> => new Promise((resolve) => schedule(() => resolve(value), ms));
    Object.assign(globalThis, { setTimeout: schedule, clearTimeout: cancel });
    Object.assign(timersPromises, { setTimeout: wait });
    syncBuiltinESMExports();
    performance.now = () => this.now;
    const RealDate = Date;
    const epoch = (): number => this.#startedAt + Math.floor(this.now);
    globalThis.Date = class extends RealDate {
      constructor(...given: readonly unknown[]) {
        super(...((given.length === 0 ? [epoch()] : given) as [number]));
      }
      static override now(): number {
        return epoch();
      }
    } as DateConstructor;
  }

  /** Lets time pass until a moment, or until there is nothing to wait for. @returns whether work is left. */
  async run(untilMs: number): Promise<boolean> {
    for (;;) {
      // Work between two timers consists of promises and immediates only.
      for (let round = 0; round < 3; round += 1) await new Promise((resolve) => realSetImmediate(resolve));
      let next = Number.POSITIVE_INFINITY;
      for (const { at } of this.#timers.values()) next = Math.min(next, at);
      if (!Number.isFinite(next)) return false;
      if (next > untilMs) {
        this.now = untilMs;
        return true;
      }
      this.now = next;
      for (const [timer, { at, run }] of this.#timers) {
        if (at > next) continue;
        this.#timers.delete(timer);
        run();
      }
    }
  }

  /** Forgets all timers. */
  clear(): void {
    this.#timers.clear();
  }
}
