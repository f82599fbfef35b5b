import Stripe from 'stripe';
import { AppError, paymentsUnavailable } from '#shared/errors.ts';
import { log } from './log.ts';
import { secret } from './secret.ts';
import { settings } from './settings.ts';
import {
  checkoutIdOf,
  paymentOf,
  type ReportedEvent,
  type ReportedPayment,
  readSession,
  reportedBy,
} from './stripe-event.ts';

/** The payment provider. */

// Both tries together end before the request that waits for them does.
const TIMEOUT_MS = 4000;
const RETRIES = 1;
/** How old a signature may be, in seconds. */
const TOLERANCE_SECONDS = 300;
const NAME_MAX = 250;

let client: { readonly key: string; readonly stripe: Stripe } | undefined;

const placeOf = (base: string | undefined) => {
  const url = base === undefined ? null : URL.parse(base);
  if (!url) return {};
  const protocol = url.protocol === 'http:' ? ('http' as const) : ('https' as const);
  return { protocol, host: url.hostname, port: url.port || (protocol === 'http' ? 80 : 443) };
};

// The words of the provider repeat what it was sent, such as the buyer's address; its codes do not.
const reasonOf = (error: unknown): Readonly<Record<string, unknown>> => {
  if (error instanceof Stripe.errors.StripeError) {
    const { type, code, param, statusCode, requestId } = error;
    return { kind: type, code, param, status: statusCode, provider_request_id: requestId };
  }
  return error instanceof Error ? { reason: error.message, kind: error.name } : {};
};

const unavailable = (problem: string, error?: unknown): AppError => {
  log.error(`payments are unavailable: ${problem}`, reasonOf(error));
  return paymentsUnavailable();
};

const readSecret = async (name: string): Promise<string | undefined> => {
  try {
    return await secret(name);
  } catch (error) {
    throw unavailable('a secret could not be read', error);
  }
};

const provider = async (): Promise<Stripe> => {
  const key = await readSecret('STRIPE_SECRET_KEY');
  if (key === undefined) throw unavailable('no key is configured');
  if (client?.key !== key) {
    const stripe = new Stripe(key, {
      ...placeOf(settings().payments.apiBase),
      timeout: TIMEOUT_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
    client = { key, stripe };
  }
  return client.stripe;
};

const asked = async <T>(ask: (stripe: Stripe) => Promise<T>): Promise<T> => {
  const stripe = await provider();
  try {
    return await ask(stripe);
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) throw unavailable('the provider did not do it', error);
    throw error;
  }
};

const isRefusedAs = (error: unknown, code: string): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === code;

/** @throws 503 when nobody can be paid. */
export const mustBeConfigured = async (): Promise<void> => {
  await provider();
};

const leadingTo = (template: string, checkoutId: string): string => template.replaceAll('{checkout}', checkoutId);

/**
 * Opens the payment page of a checkout. With one checkout it is always the same, however often it is asked for.
 * @throws 503.
 */
export const openSession = async (
  checkout: {
    readonly id: string;
    readonly title: string;
    readonly amount: number;
    readonly currency: string;
  },
  buyer: { readonly email: string | null },
): Promise<{ sessionId: string; url: string }> => {
  const { successUrl, cancelUrl } = settings().payments;
  const marks = { checkout_id: checkout.id };
  const session = await asked((stripe) =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: checkout.id,
        metadata: marks,
        payment_intent_data: { metadata: marks },
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: checkout.currency,
              unit_amount: checkout.amount,
              product_data: { name: checkout.title.slice(0, NAME_MAX).toWellFormed() },
            },
          },
        ],
        ...(buyer.email !== null && { customer_email: buyer.email }),
        success_url: leadingTo(successUrl, checkout.id),
        cancel_url: leadingTo(cancelUrl, checkout.id),
      },
      // Nothing above depends on when it is asked, or asking again would be another question.
      { idempotencyKey: checkout.id },
    ),
  );
  if (!session.url) throw unavailable('the session has no page');
  return { sessionId: session.id, url: session.url };
};

/**
 * How a session stands; undefined when the provider knows of none.
 * @throws 503.
 */
export const askSession = async (
  sessionId: string,
): Promise<{ state: 'paid'; payment: ReportedPayment } | { state: 'open' | 'expired' | 'failed' } | undefined> => {
  const session = await asked(async (stripe) => {
    try {
      return await stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] });
    } catch (error) {
      if (isRefusedAs(error, 'resource_missing')) return undefined;
      throw error;
    }
  });
  if (!session) return undefined;
  if (session.payment_status === 'paid') return { state: 'paid', payment: paymentOf(readSession(session)) };
  if (session.status === 'expired') return { state: 'expired' };
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent?.status : undefined;
  const hasFailed = intent === 'requires_payment_method' || intent === 'canceled';
  return { state: session.status === 'complete' && hasFailed ? 'failed' : 'open' };
};

/** The checkout that a payment belongs to; undefined for one of somebody else. @throws 503. */
export const askWhichCheckout = async (paymentIntent: string): Promise<string | undefined> => {
  const found = await asked((stripe) => stripe.checkout.sessions.list({ payment_intent: paymentIntent, limit: 1 }));
  const [session] = found.data;
  return session && checkoutIdOf(session);
};

/** Gives back all of what a checkout took; asked again it does nothing more. @throws 503. */
export const refund = async (checkout: {
  readonly id: string;
  readonly payment_intent: string | null;
}): Promise<void> => {
  const { id, payment_intent } = checkout;
  if (payment_intent === null) throw new Error(`The checkout ${id} has no payment to give back.`);
  await asked(async (stripe) => {
    try {
      await stripe.refunds.create({ payment_intent }, { idempotencyKey: `refund-${id}` });
    } catch (error) {
      // Somebody has given it back by hand.
      if (!isRefusedAs(error, 'charge_already_refunded')) throw error;
    }
  });
};

/**
 * Reads an event that somebody sent.
 * @param body the bytes as they came; the signature is over exactly these.
 * @returns undefined for what means nothing to the service.
 * @throws 400 when it is not signed by the provider within the last 5 minutes, 503 when nobody could have signed it.
 */
export const signedEvent = async (body: Buffer, signature: string | undefined): Promise<ReportedEvent | undefined> => {
  const secrets = (await readSecret('STRIPE_WEBHOOK_SECRET'))?.split(',').map((one) => one.trim());
  if (!secrets) throw unavailable('no secret for webhooks is configured');
  for (const one of secrets) {
    let event: unknown;
    try {
      event = Stripe.webhooks.constructEvent(body, signature ?? '', one, TOLERANCE_SECONDS);
    } catch {
      // Signed with another secret, or with none: while secrets change, two of them are valid.
      continue;
    }
    return reportedBy(event);
  }
  throw new AppError('INVALID_SIGNATURE');
};
