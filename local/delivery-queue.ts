import { setTimeout as wait } from 'node:timers/promises';
import { log } from '#platform/log.ts';
import type { PendingDelivery } from './bus-journal.ts';
import { PAUSE_MAX_MS } from './retry-policy.ts';

/** Per subscription, so that a slow one does not delay others. */
const CONCURRENCY = 4;
/** The pause after pending deliveries could not be read. */
const UNREADABLE_PAUSE_MS = 5000;

interface DeliveryQueueOptions {
  /** The subscription. */
  readonly id: string;
  /** The next pending deliveries, in the order of their due times. */
  readonly next: (count: number) => readonly PendingDelivery[];
  /** Makes an attempt and stores its outcome. Never fails. */
  readonly deliver: (delivery: PendingDelivery) => Promise<void>;
}

/** The pending deliveries of one subscription, of which a few run at a time. */
export class DeliveryQueue {
  readonly #options: DeliveryQueueOptions;
  readonly #running = new Map<number, Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #isStopped = true;

  constructor(options: DeliveryQueueOptions) {
    this.#options = options;
  }

  start(): void {
    this.#isStopped = false;
    this.deliverDue();
  }

  /** Starts no more deliveries. */
  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  deliverDue(): void {
    if (this.#isStopped) return;
    clearTimeout(this.#timer);
    for (const delivery of this.#pending().slice(0, CONCURRENCY - this.#running.size)) {
      const pause = delivery.due - Date.now();
      // One that is due after more than any pause was stored before the clock was set back.
      if (pause > 0 && pause <= PAUSE_MAX_MS) {
        this.#deliverAfter(pause);
        return;
      }
      const done = this.#options.deliver(delivery).finally(() => {
        this.#running.delete(delivery.event);
        this.deliverDue();
      });
      this.#running.set(delivery.event, done);
    }
  }

  /** Waits for running deliveries, for a limited time. */
  async settled(limitMs: number): Promise<void> {
    const deadline = new AbortController();
    const timeout = wait(limitMs, undefined, { signal: deadline.signal }).catch(() => undefined);
    await Promise.race([Promise.all(this.#running.values()), timeout]);
    deadline.abort();
  }

  #deliverAfter(pauseMs: number): void {
    this.#timer = setTimeout(() => this.deliverDue(), pauseMs);
  }

  #pending(): readonly PendingDelivery[] {
    const { id, next } = this.#options;
    try {
      return next(CONCURRENCY + this.#running.size).filter(({ event }) => !this.#running.has(event));
    } catch (error) {
      log.warn('pending deliveries could not be read', { subscription: id, error: error as Error });
      this.#deliverAfter(UNREADABLE_PAUSE_MS);
      return [];
    }
  }
}
