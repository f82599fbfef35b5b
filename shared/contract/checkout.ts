import * as z from 'zod';

/** Where the buyer goes to pay, and how to ask later what became of it. */
export const CheckoutStarted = z
  .object({
    checkoutUrl: z.string().describe('The payment page; send the buyer there.'),
    checkout_id: z.string().describe('`chk_` and a ULID.'),
  })
  .meta({ id: 'CheckoutStarted' });
export type CheckoutStarted = z.infer<typeof CheckoutStarted>;
