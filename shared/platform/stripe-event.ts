import * as z from 'zod';

// The part of Stripe's objects that the service reads, and its own types for them. Amounts are in the smallest unit.

export interface Payment {
  readonly sessionId: string;
  /** Null only when nothing was due. */
  readonly paymentIntent: string | null;
  readonly amount: number;
  /** ISO 4217 in lower case. */
  readonly currency: string;
}

/** A relevant event. Stripe delivers each at least once, in any order. */
export type ProviderEvent =
  | { readonly id: string; readonly kind: 'paid'; readonly checkoutId: string; readonly payment: Payment }
  | { readonly id: string; readonly kind: 'failed' | 'expired'; readonly checkoutId: string }
  | {
      readonly id: string;
      readonly kind: 'refunded';
      readonly paymentIntent: string;
      /** Undefined when the charge has no metadata of a checkout. */
      readonly checkoutId: string | undefined;
      /** The total of all refunds so far. */
      readonly amountRefunded: number;
      /** Whether the whole payment was refunded. */
      readonly full: boolean;
    }
  | {
      readonly id: string;
      /** `disputed`: opened. `disputeWon`: closed in favour of the service, which keeps the payment. */
      readonly kind: 'disputed' | 'disputeWon';
      readonly paymentIntent: string;
      readonly disputeId: string;
      readonly amount: number;
    };

// Longer than any id of the provider, and shorter than a key of the table.
const Id = z.string().min(1).max(500);
const Amount = z.int().min(0);

// A reference is an id, or the object itself when the request expanded it.
const reference = z
  .union([Id, z.object({ id: Id }).transform(({ id }) => id)])
  .nullish()
  .transform((value) => value ?? null);

const metadata = z
  .record(z.string(), z.string().max(500))
  .nullish()
  .transform((value) => value ?? {});

const Session = z.object({
  id: Id,
  client_reference_id: z.string().max(500).nullish(),
  metadata,
  payment_status: z.string(),
  payment_intent: reference,
  amount_total: Amount.nullish(),
  currency: z.string().max(10).nullish(),
});

const Charge = z.object({
  payment_intent: reference,
  metadata,
  amount_refunded: Amount,
  refunded: z.boolean(),
});

const Dispute = z.object({ id: Id, payment_intent: reference, amount: Amount });
const ClosedDispute = z.object({ status: z.string() });

const Event = z.object({ id: Id, type: z.string() });
const EventData = z.object({ data: z.object({ object: z.unknown() }) });

/** The checkout that a session belongs to; undefined for a session of another service on the same account. */
export const checkoutIdOf = (session: {
  readonly metadata: Readonly<Record<string, string>> | null | undefined;
  readonly client_reference_id?: string | null | undefined;
}): string | undefined => session.metadata?.checkout_id ?? session.client_reference_id ?? undefined;

const paymentOf = (session: z.infer<typeof Session>): Payment => ({
  sessionId: session.id,
  paymentIntent: session.payment_intent,
  amount: session.amount_total ?? 0,
  currency: session.currency ?? '',
});

/** The payment of a paid session. @throws ZodError when the value is not a session. */
export const parsePayment = (session: unknown): Payment => paymentOf(Session.parse(session));

const readSessionEvent = (
  id: string,
  object: unknown,
  kind: 'paid' | 'failed' | 'expired',
): ProviderEvent | undefined => {
  const session = Session.parse(object);
  const checkoutId = checkoutIdOf(session);
  if (checkoutId === undefined) return undefined;
  if (kind !== 'paid') return { id, kind, checkoutId };
  // A completed session can be unpaid: for delayed payment methods, a later event reports the payment.
  return session.payment_status === 'paid' ? { id, kind, checkoutId, payment: paymentOf(session) } : undefined;
};

const readCharge = (id: string, object: unknown): ProviderEvent | undefined => {
  const charge = Charge.parse(object);
  if (charge.payment_intent === null) return undefined;
  return {
    id,
    kind: 'refunded',
    paymentIntent: charge.payment_intent,
    checkoutId: charge.metadata.checkout_id,
    amountRefunded: charge.amount_refunded,
    full: charge.refunded,
  };
};

const readDispute = (id: string, object: unknown, kind: 'disputed' | 'disputeWon'): ProviderEvent | undefined => {
  const { id: disputeId, payment_intent, amount } = Dispute.parse(object);
  return payment_intent === null ? undefined : { id, kind, paymentIntent: payment_intent, disputeId, amount };
};

/** Statuses of a closed dispute after which the payment stays; an inquiry that ends never becomes a dispute. */
const WON: ReadonlySet<string> = new Set(['won', 'warning_closed']);

const readClosedDispute = (id: string, object: unknown): ProviderEvent | undefined =>
  WON.has(ClosedDispute.parse(object).status) ? readDispute(id, object, 'disputeWon') : undefined;

const readers: Readonly<Record<string, (id: string, object: unknown) => ProviderEvent | undefined>> = {
  'checkout.session.completed': (id, object) => readSessionEvent(id, object, 'paid'),
  'checkout.session.async_payment_succeeded': (id, object) => readSessionEvent(id, object, 'paid'),
  'checkout.session.async_payment_failed': (id, object) => readSessionEvent(id, object, 'failed'),
  'checkout.session.expired': (id, object) => readSessionEvent(id, object, 'expired'),
  'charge.refunded': readCharge,
  'charge.dispute.created': (id, object) => readDispute(id, object, 'disputed'),
  'charge.dispute.closed': readClosedDispute,
};

/**
 * Reads a verified event; undefined when it is irrelevant to the service.
 * @throws ZodError when it is not an event, or a relevant one of an unknown shape.
 */
export const parseProviderEvent = (value: unknown): ProviderEvent | undefined => {
  const { id, type } = Event.parse(value);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  return read?.(id, EventData.parse(value).data.object);
};
