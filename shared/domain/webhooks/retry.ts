import { type AttemptPorts, attemptDelivery } from './attempt.ts';
import type { DeliveryRecord } from './delivery.ts';

/** What retrying takes. */
export interface RetryPorts extends AttemptPorts {
  /** Deliveries that are due at a time, the longest due first. */
  readonly dueDeliveries: (at: string, count: number) => Promise<DeliveryRecord[]>;
}

/** What a run of retries has done. */
export interface RetrySummary {
  /** Deliveries that were tried. */
  readonly processed: number;
  readonly delivered: number;
  /** Tried in vain; they are tried again or have used up their tries. */
  readonly failed: number;
  /** Given up because their webhook is switched off. */
  readonly cancelled: number;
  /** Whether its time was up before everything that was due had been tried. */
  readonly unfinished: boolean;
}

const AT_ONCE = 20;
const BATCH = 100;
/** How long a run begins new attempts, in milliseconds; with the last of them it ends within the gateway's 29 seconds. */
const RUN_MS = 15_000;

/**
 * Tries every delivery that is due. It may run twice or at the same time as itself: each delivery is sent by one of them.
 * What is left when the time of a run is up comes in the next.
 */
export const retryDueDeliveries = async (ports: RetryPorts): Promise<RetrySummary> => {
  const startedMs = Date.parse(ports.now());
  const hasTime = () => Date.parse(ports.now()) - startedMs < RUN_MS;
  const counts = { delivered: 0, failed: 0, cancelled: 0 };
  const seen = new Set<string>();
  let unfinished = false;
  while (!unfinished) {
    const due = await ports.dueDeliveries(ports.now(), BATCH);
    // An index follows its table a moment later: what this run has dealt with may still be listed.
    const fresh = due.filter(({ webhook_id, id, version }) => !seen.has(`${webhook_id} ${id} ${version}`));
    if (fresh.length === 0) break;
    for (const { webhook_id, id, version } of fresh) seen.add(`${webhook_id} ${id} ${version}`);
    const queue = fresh.values();
    const work = async (): Promise<void> => {
      for (const delivery of queue) {
        if (!hasTime()) {
          unfinished = true;
          return;
        }
        const tried = await attemptDelivery(ports, delivery);
        if (!tried) continue;
        if (tried.state === 'delivered' || tried.state === 'cancelled') counts[tried.state] += 1;
        else counts.failed += 1;
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, fresh.length) }, work));
  }
  return { processed: counts.delivered + counts.failed, ...counts, unfinished };
};
