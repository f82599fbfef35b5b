import { findCheckout } from '#data/checkouts.ts';
import { refund } from '#platform/stripe.ts';

/**
 * Refunds the payment of a checkout that could not be fulfilled, or whose promotion was rejected. Idempotent. The event
 * of the provider about the refund then updates the checkout and the ledger.
 * @throws 503 when the provider is unavailable.
 */
export const refundCheckout = async (checkoutId: string): Promise<void> => {
  const checkout = await findCheckout(checkoutId);
  if (checkout?.status === 'paid' || checkout?.status === 'fulfilled') await refund(checkout);
};
