import type { CheckoutRecord } from './checkout.ts';

/** What giving money back takes. */
export interface GiveBackPorts {
  readonly findCheckout: (checkoutId: string) => Promise<CheckoutRecord | undefined>;
  /** Gives all of a checkout's money back; asked again it does nothing more. @throws 503. */
  readonly refund: (checkout: CheckoutRecord) => Promise<void>;
}

/**
 * Gives back what was paid for something that could not be delivered any more, or for a promotion that was turned down
 * before it was shown. The provider then tells that it was given back, and the ledger says so.
 */
export const giveBack = async (ports: GiveBackPorts, checkoutId: string): Promise<void> => {
  const checkout = await ports.findCheckout(checkoutId);
  if (checkout?.status === 'paid' || checkout?.status === 'fulfilled') await ports.refund(checkout);
};
