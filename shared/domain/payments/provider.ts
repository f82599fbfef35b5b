/** What the service relies on of the payment provider, in words of its own. */

/** A payment that has come in. */
export interface Payment {
  readonly sessionId: string;
  /** Null only where nothing had to be paid. */
  readonly paymentIntent: string | null;
  /** In the smallest unit of the currency. */
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

/** How a session at the provider stands. */
export type SessionState =
  | { readonly state: 'paid'; readonly payment: Payment }
  | { readonly state: 'open' | 'expired' | 'failed' };

/** What the provider tells. Each is told at least once, in any order. */
export type ProviderEvent =
  | { readonly id: string; readonly kind: 'paid'; readonly checkoutId: string; readonly payment: Payment }
  | { readonly id: string; readonly kind: 'failed' | 'expired'; readonly checkoutId: string }
  | {
      readonly id: string;
      readonly kind: 'refunded';
      readonly paymentIntent: string;
      /** Where the provider knows which checkout it was. */
      readonly checkoutId: string | undefined;
      /** In all so far. */
      readonly amountRefunded: number;
      readonly full: boolean;
    }
  | { readonly id: string; readonly kind: 'disputed'; readonly paymentIntent: string; readonly amount: number };
