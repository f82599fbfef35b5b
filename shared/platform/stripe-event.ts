import * as z from 'zod';
import type { Dispute, FailedRefund, RefundTotal } from '#model/returns.ts';

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
  | { readonly id: string; readonly kind: 'processing'; readonly checkoutId: string; readonly sessionId: string }
  | { readonly id: string; readonly kind: 'failed' | 'expired'; readonly checkoutId: string }
  | ReturnEvent;

/** A report of an object without a currency is in that of the checkout. */
type Reported<Of extends { readonly currency: string }> = Omit<Of, 'currency'> & {
  readonly currency: string | undefined;
};

/** An event about money that goes back to the buyer, or stays after all. */
export type ReturnEvent = {
  readonly id: string;
  readonly paymentIntent: string;
  /** Undefined when the object has no metadata of a checkout. */
  readonly checkoutId: string | undefined;
} & (
  | { readonly kind: 'refunded'; readonly total: Reported<RefundTotal> }
  /** `part`: what the service refunded by itself, `ALL` or the id of a part; undefined for the refund of an administrator. */
  | { readonly kind: 'refundFailed'; readonly refund: FailedRefund; readonly part: string | undefined }
  | { readonly kind: 'disputed'; readonly dispute: Reported<Dispute> }
);

/** What a refund of all that is left of a payment names as its part. */
export const ALL = 'all';

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

/** Seconds since 1970. */
const Time = z.int().min(0);

const Currency = z
  .string()
  .max(10)
  .nullish()
  .transform((value) => value?.toLowerCase());

const ChargeObject = z.object({
  payment_intent: reference,
  metadata,
  amount_refunded: Amount,
  currency: Currency,
  refunded: z.boolean(),
});

const RefundObject = z.object({
  id: Id,
  payment_intent: reference,
  metadata,
  amount: Amount,
  created: Time.default(0),
  status: z.string().nullish(),
});

const DisputeObject = z.object({
  id: Id,
  payment_intent: reference,
  amount: Amount,
  currency: Currency,
  status: z.string(),
});

const NewDisputeObject = DisputeObject.extend({ status: z.string().default('needs_response') });

const Event = z.object({ id: Id, type: z.string() });
const EventData = z.object({ created: Time.default(0), data: z.object({ object: z.unknown() }) });

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

interface EventHead {
  readonly id: string;
  /** When the provider created the event, in seconds since 1970; 0 when unknown. */
  readonly at: number;
}

type Reader = (event: EventHead, object: unknown) => ProviderEvent | undefined;

const sessionReader =
  (kind: 'completed' | 'paid' | 'failed' | 'expired'): Reader =>
  ({ id }, object) => {
    const session = Session.parse(object);
    const checkoutId = checkoutIdOf(session);
    if (checkoutId === undefined) return undefined;
    if (kind === 'failed' || kind === 'expired') return { id, kind, checkoutId };
    if (session.payment_status === 'paid') return { id, kind: 'paid', checkoutId, payment: paymentOf(session) };
    // With payment methods that take days, a later event reports the payment.
    const isUnderWay = kind === 'completed' && session.payment_status === 'unpaid';
    return isUnderWay ? { id, kind: 'processing', checkoutId, sessionId: session.id } : undefined;
  };

const readCharge: Reader = ({ id, at }, object) => {
  const { payment_intent, metadata: known, amount_refunded, currency, refunded } = ChargeObject.parse(object);
  if (payment_intent === null) return undefined;
  const total = { amount: amount_refunded, currency, isFull: refunded, at };
  return { id, kind: 'refunded', paymentIntent: payment_intent, checkoutId: known.checkout_id, total };
};

/** Statuses of a refund whose money stays with the service. */
const FAILED: ReadonlySet<string> = new Set(['failed', 'canceled']);

const readFailedRefund: Reader = ({ id, at }, object) => {
  const { id: refundId, payment_intent, metadata: known, amount, created } = RefundObject.parse(object);
  if (payment_intent === null) return undefined;
  const refund = { id: refundId, amount, createdAt: created, failedAt: at };
  const { checkout_id: checkoutId, part } = known;
  return { id, kind: 'refundFailed', paymentIntent: payment_intent, checkoutId, refund, part };
};

const readRefund: Reader = (head, object) =>
  FAILED.has(RefundObject.parse(object).status ?? '') ? readFailedRefund(head, object) : undefined;

/** The money is withdrawn, and stays so, with every status that is neither of an inquiry nor in favour of the service. */
const stateOfDispute = (status: string) => {
  if (status === 'won' || status === 'warning_closed') return 'won';
  return status.startsWith('warning_') ? 'inquiry' : 'open';
};

const disputeReader =
  (schema: typeof DisputeObject | typeof NewDisputeObject): Reader =>
  ({ id, at }, object) => {
    const { id: disputeId, payment_intent, amount, currency, status } = schema.parse(object);
    if (payment_intent === null) return undefined;
    const dispute = { id: disputeId, state: stateOfDispute(status), amount, currency, at } as const;
    return { id, kind: 'disputed', paymentIntent: payment_intent, checkoutId: undefined, dispute };
  };

const readers: Readonly<Record<string, Reader>> = {
  'checkout.session.completed': sessionReader('completed'),
  'checkout.session.async_payment_succeeded': sessionReader('paid'),
  'checkout.session.async_payment_failed': sessionReader('failed'),
  'checkout.session.expired': sessionReader('expired'),
  'charge.refunded': readCharge,
  'refund.failed': readFailedRefund,
  'refund.updated': readRefund,
  'charge.dispute.created': disputeReader(NewDisputeObject),
  // An inquiry that becomes a dispute is reported by these two.
  'charge.dispute.updated': disputeReader(DisputeObject),
  'charge.dispute.funds_withdrawn': disputeReader(DisputeObject),
  'charge.dispute.closed': disputeReader(DisputeObject),
};

/**
 * Reads a verified event; undefined when it is irrelevant to the service.
 * @throws ZodError when it is not an event, or a relevant one of an unknown shape.
 */
export const parseProviderEvent = (value: unknown): ProviderEvent | undefined => {
  const { id, type } = Event.parse(value);
  const read = Object.hasOwn(readers, type) ? readers[type] : undefined;
  if (!read) return undefined;
  const { created: at, data } = EventData.parse(value);
  return read({ id, at }, data.object);
};
