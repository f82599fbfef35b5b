import * as z from 'zod';
import { price, webAddress } from './values.ts';

/** What buyers are asked for, and where they are sent. */
export interface PaymentSettings {
  /** What the premium plan costs, in the smallest unit of the currency. */
  readonly premiumPrice: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
  /** Where the payment page sends its buyer afterwards; `{checkout}` stands for the checkout's id. */
  readonly successUrl: string;
  readonly cancelUrl: string;
  /** Another place than Stripe's own for its API. */
  readonly apiBase: string | undefined;
}

/** The variables of payments. */
export const paymentVariables = {
  PREMIUM_PRICE: price.prefault('4900'),
  CURRENCY: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z]{3}$/, { error: 'must be three letters, such as usd' })
    .prefault('usd'),
  CHECKOUT_SUCCESS_URL: webAddress.optional(),
  CHECKOUT_CANCEL_URL: webAddress.optional(),
  STRIPE_API_BASE: webAddress.optional(),
};

/** What they say of payments, on a site whose front end is at this address. */
export const paymentsOf = (
  variables: z.output<z.ZodObject<typeof paymentVariables>>,
  siteUrl: string,
): PaymentSettings => ({
  premiumPrice: variables.PREMIUM_PRICE,
  currency: variables.CURRENCY,
  successUrl: variables.CHECKOUT_SUCCESS_URL ?? `${siteUrl}/checkout/success?checkout={checkout}`,
  cancelUrl: variables.CHECKOUT_CANCEL_URL ?? `${siteUrl}/checkout/cancel?checkout={checkout}`,
  apiBase: variables.STRIPE_API_BASE,
});
