import * as z from 'zod';

/** As much of Stripe's objects as the service reads, and what it makes of them. */

/** A payment as Stripe reports it, in the service's words. */
export interface ReportedPayment {
  readonly sessionId: string;
  readonly paymentIntent: string | null;
  readonly amount: number;
  readonly currency: string;
}

/** What Stripe reports, in the service's words. */
export type ReportedEvent =
  | { readonly id: string; readonly kind: 'paid'; readonly checkoutId: string; readonly payment: ReportedPayment }
  | { readonly id: string; readonly kind: 'failed' | 'expired'; readonly checkoutId: string }
  | {
      readonly id: string;
      readonly kind: 'refunded';
      readonly paymentIntent: string;
      readonly checkoutId: string | undefined;
      readonly amountRefunded: number;
      readonly full: boolean;
    }
  | { readonly id: string; readonly kind: 'disputed'; readonly paymentIntent: string; readonly amount: number };

// A reference to another object is its id, or the object itself where it was asked for.
const reference = z
  .union([z.string(), z.object({ id: z.string() }).transform(({ id }) => id)])
  .nullish()
  .transform((value) => value ?? null);

const metadata = z
  .record(z.string(), z.string())
  .nullish()
  .transform((value) => value ?? {});

const Session = z.object({
  id: z.string(),
  client_reference_id: z.string().nullish(),
  metadata,
  payment_status: z.string(),
  payment_intent: reference,
  amount_total: z.number().nullish(),
  currency: z.string().nullish(),
});
type Session = z.infer<typeof Session>;

const Charge = z.object({
  payment_intent: reference,
  metadata,
  amount_refunded: z.number(),
  refunded: z.boolean(),
});

const Dispute = z.object({ payment_intent: reference, amount: z.number() });

const Event = z.object({ id: z.string(), type: z.string(), data: z.object({ object: z.unknown() }) });

/** The checkout that a session belongs to; undefined for a session of somebody else. */
export const checkoutIdOf = (session: {
  readonly metadata: Readonly<Record<string, string>> | null | undefined;
  readonly client_reference_id?: string | null | undefined;
}): string | undefined => session.metadata?.checkout_id ?? session.client_reference_id ?? undefined;

/** What was paid in a session. */
export const paymentOf = (session: Session): ReportedPayment => ({
  sessionId: session.id,
  paymentIntent: session.payment_intent,
  amount: session.amount_total ?? 0,
  currency: session.currency ?? '',
});

/** A session as it is read from an answer. @throws when it is not one. */
export const readSession = (value: unknown): Session => Session.parse(value);

const ofSession = (
  id: string,
  value: unknown,
  kind: 'paid' | 'failed' | 'expired',
): Extract<ReportedEvent, { checkoutId: string; kind: typeof kind }> | undefined => {
  const session = Session.parse(value);
  const checkoutId = checkoutIdOf(session);
  if (checkoutId === undefined) return undefined;
  if (kind !== 'paid') return { id, kind, checkoutId };
  // A session can be complete while its money is still on the way; another event tells when it has come.
  return session.payment_status === 'paid' ? { id, kind, checkoutId, payment: paymentOf(session) } : undefined;
};

const ofCharge = (id: string, value: unknown): ReportedEvent | undefined => {
  const { payment_intent, metadata: marks, amount_refunded, refunded } = Charge.parse(value);
  if (payment_intent === null) return undefined;
  return {
    id,
    kind: 'refunded',
    paymentIntent: payment_intent,
    checkoutId: marks.checkout_id,
    amountRefunded: amount_refunded,
    full: refunded,
  };
};

const ofDispute = (id: string, value: unknown): ReportedEvent | undefined => {
  const { payment_intent, amount } = Dispute.parse(value);
  return payment_intent === null ? undefined : { id, kind: 'disputed', paymentIntent: payment_intent, amount };
};

const readers: Readonly<Record<string, (id: string, object: unknown) => ReportedEvent | undefined>> = {
  'checkout.session.completed': (id, object) => ofSession(id, object, 'paid'),
  'checkout.session.async_payment_succeeded': (id, object) => ofSession(id, object, 'paid'),
  'checkout.session.async_payment_failed': (id, object) => ofSession(id, object, 'failed'),
  'checkout.session.expired': (id, object) => ofSession(id, object, 'expired'),
  'charge.refunded': ofCharge,
  'charge.dispute.created': ofDispute,
};

/**
 * What an event means to the service; undefined for what means nothing to it.
 * @throws when it is not an event, or one of ours in a form that we do not know.
 */
export const reportedBy = (value: unknown): ReportedEvent | undefined => {
  const { id, type, data } = Event.parse(value);
  return Object.hasOwn(readers, type) ? readers[type]?.(id, data.object) : undefined;
};
