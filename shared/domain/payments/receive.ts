import type { ProviderEvent } from './provider.ts';
import { decideDisputed, decideEnded, decidePaid, decideRefunded, settleCheckout } from './settle.ts';
import type { SettlePorts } from './settlement.ts';

/** What hearing from the provider takes. */
export interface ReceivePorts<W> extends SettlePorts<W> {
  /** The checkout that a payment belongs to, as far as we know it. */
  readonly checkoutOfIntent: (paymentIntent: string) => Promise<string | undefined>;
  /** The same, asked of the provider; undefined for a payment of somebody else. @throws 503. */
  readonly askWhichCheckout: (paymentIntent: string) => Promise<string | undefined>;
}

const checkoutBehind = async <W>(
  ports: ReceivePorts<W>,
  event: Extract<ProviderEvent, { paymentIntent: string }>,
): Promise<string | undefined> =>
  ('checkoutId' in event ? event.checkoutId : undefined) ??
  (await ports.checkoutOfIntent(event.paymentIntent)) ??
  // The money can be gone again before we have heard that it had come.
  (await ports.askWhichCheckout(event.paymentIntent));

/**
 * Lets an event of the provider take effect, exactly once however often and in whatever order they come. Events of
 * checkouts that are not ours make no difference: several services may share one account.
 * @returns whether it made a difference.
 */
export const receiveEvent = async <W>(ports: ReceivePorts<W>, event: ProviderEvent): Promise<boolean> => {
  switch (event.kind) {
    case 'paid':
      return await settleCheckout(ports, event.checkoutId, event.id, decidePaid(ports, event.payment));
    case 'expired':
    case 'failed':
      return await settleCheckout(ports, event.checkoutId, event.id, decideEnded(ports, event.kind));
    case 'refunded': {
      const checkoutId = await checkoutBehind(ports, event);
      return (
        checkoutId !== undefined && (await settleCheckout(ports, checkoutId, event.id, decideRefunded(ports, event)))
      );
    }
    case 'disputed': {
      const checkoutId = await checkoutBehind(ports, event);
      return (
        checkoutId !== undefined && (await settleCheckout(ports, checkoutId, event.id, decideDisputed(ports, event)))
      );
    }
  }
};
