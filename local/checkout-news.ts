import { setTimeout as wait } from 'node:timers/promises';
import Stripe from 'stripe';
import { log } from '#platform/log.ts';
import type { CheckoutDesk, PendingEvent } from './checkout.ts';

/** The teller of what happens at the rehearsal's payment provider. */
export interface CheckoutNews {
  /** Begins to tell, what an earlier run has left first. */
  start(): void;
  /** Tells now what is due, and waits a moment until the service has heard it. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const AT_ONCE = 4;
const FIRST_PAUSE_MS = 200;
const PAUSE_MAX_MS = 60_000;
/** After so many tries it is given up: a few days. */
const TRIES_MAX = 4000;
const ANSWER_MS = 30_000;
const FLUSH_MS = 5000;
const IDLE_MS = 500;

/**
 * Tells the service, in properly signed requests, what the provider has put down: each event at least once, again and
 * again while the service fails, and after a restart what was left over.
 * @param address of the service's door for this.
 */
export const checkoutNews = (desk: CheckoutDesk, address: string): CheckoutNews => {
  const ending = new AbortController();
  const inHand = new Map<number, Promise<void>>();
  let running: Promise<void> | undefined;

  const post = async (payload: string): Promise<number> => {
    const secret = (process.env.STRIPE_WEBHOOK_SECRET ?? '').split(',')[0]?.trim() ?? '';
    const answer = await fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload, secret }),
      },
      body: payload,
      signal: AbortSignal.any([ending.signal, AbortSignal.timeout(ANSWER_MS)]),
    });
    await answer.arrayBuffer();
    return answer.status;
  };

  const putOff = ({ number, tries }: PendingEvent, problem: string): void => {
    const pause = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** Math.min(tries, 20));
    desk.failed(number, problem, tries + 1 >= TRIES_MAX ? undefined : Date.now() + pause);
  };

  const tellOne = async (event: PendingEvent): Promise<void> => {
    try {
      const status = await post(event.payload);
      if (status < 300) desk.told(event.number);
      else if (status >= 500) putOff(event, `answered ${status}`);
      else {
        log.warn('the service refuses an event of the local checkout', { status });
        desk.failed(event.number, `answered ${status}`, undefined);
      }
    } catch (error) {
      // Nobody heard it; it is told again, by the next run if this one ends.
      if (!ending.signal.aborted) putOff(event, (error as Error).message);
    }
  };

  const begin = (): void => {
    if (ending.signal.aborted) return;
    for (const event of desk.due(AT_ONCE + inHand.size)) {
      if (inHand.size >= AT_ONCE) return;
      if (inHand.has(event.number)) continue;
      const telling = tellOne(event).finally(() => {
        inHand.delete(event.number);
        begin();
      });
      inHand.set(event.number, telling);
    }
  };

  const watch = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      begin();
      await wait(IDLE_MS, undefined, { signal: ending.signal }).catch(() => undefined);
    }
  };

  return {
    start: () => {
      running ??= watch();
    },
    flush: async () => {
      const until = Date.now() + FLUSH_MS;
      for (begin(); inHand.size > 0 && Date.now() < until; ) {
        await Promise.race([Promise.all(inHand.values()), wait(Math.max(1, until - Date.now()))]);
      }
    },
    stop: async () => {
      ending.abort();
      await running;
      await Promise.all(inHand.values());
    },
  };
};
