import Stripe from 'stripe';
import { firstCharacters } from '#model/characters.ts';
import { AppError, invalidInput, paymentsUnavailable } from '#shared/errors.ts';
import { environment } from './environment.ts';
import { log } from './log.ts';
import { secret } from './ssm.ts';
import {
  ALL,
  checkoutIdOf,
  type Payment,
  type ProviderEvent,
  parsePayment,
  parseProviderEvent,
} from './stripe-event.ts';
import { limitWithinRequest } from './time-limit.ts';

// The client of the payment provider. Every function throws 503 when the provider is not configured or unavailable.

/** The timeout of a request to the provider with its repetition, in milliseconds. */
const TIMEOUT_MS = 8500;
/** Of that, the longest pause before the repetition. */
const PAUSE_MS = 500;
const RETRIES = 1;
/** The time that remains to undo what was prepared, and to respond, in milliseconds. */
const RESERVE_MS = 1000;
/** How far the time of a signature may be from now, in either direction. */
const SIGNATURE_TOLERANCE_SECONDS = 300;
const PRODUCT_NAME_MAX = 250;

let client: { readonly key: string; readonly stripe: Stripe } | undefined;

const addressOf = (base: string | undefined) => {
  const url = base === undefined ? null : URL.parse(base);
  if (!url) return {};
  const protocol = url.protocol === 'http:' ? ('http' as const) : ('https' as const);
  return { protocol, host: url.hostname, port: url.port || (protocol === 'http' ? 80 : 443) };
};

// Stripe's messages repeat request data such as the buyer's address, so only the codes are logged.
const loggableReason = (error: Error): Readonly<Record<string, unknown>> => {
  if (error instanceof Stripe.errors.StripeError) {
    const { type, code, param, statusCode, requestId } = error;
    return { name: type, code, param, status: statusCode, provider_request_id: requestId };
  }
  return { name: error.name, messages: [error.message] };
};

const unavailable = (problem: string, error?: unknown): AppError => {
  const reason = error instanceof Error ? { error: loggableReason(error) } : {};
  log.error(`payments are unavailable: ${problem}`, reason);
  return paymentsUnavailable();
};

const readSecret = async (name: string): Promise<string | undefined> => {
  try {
    return await secret(name);
  } catch (error) {
    throw unavailable('a secret could not be read', error);
  }
};

const configuredClient = async (): Promise<Stripe> => {
  const key = await readSecret('STRIPE_SECRET_KEY');
  if (key === undefined) throw unavailable('no key is configured');
  if (client?.key !== key) {
    const stripe = new Stripe(key, {
      ...addressOf(environment().payments.apiBase),
      telemetry: false,
    });
    client = { key, stripe };
  }
  return client.stripe;
};

/** All attempts together end early enough for a response in the time of the current request. */
const withinRequest = (): Stripe.RequestOptions => {
  const limitMs = limitWithinRequest(TIMEOUT_MS, RESERVE_MS);
  return { timeout: Math.max(1, Math.floor((limitMs - PAUSE_MS) / (1 + RETRIES))), maxNetworkRetries: RETRIES };
};

const send = async <T>(request: (stripe: Stripe, options: Stripe.RequestOptions) => Promise<T>): Promise<T> => {
  const stripe = await configuredClient();
  try {
    return await request(stripe, withinRequest());
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) throw unavailable('the request to the provider failed', error);
    throw error;
  }
};

const isInvalidRequest = (error: unknown, code: string): boolean =>
  error instanceof Stripe.errors.StripeInvalidRequestError && error.code === code;

/** @throws 503 when no key is configured. */
export const paymentsMustBeConfigured = async (): Promise<void> => {
  await configuredClient();
};

const withCheckoutId = (urlTemplate: string, checkoutId: string): string =>
  urlTemplate.replaceAll('{checkout}', checkoutId);

/** Whether the provider refuses the address of the buyer: it is stricter than many issuers. */
const refusesAddress = (error: unknown): error is Stripe.errors.StripeInvalidRequestError =>
  error instanceof Stripe.errors.StripeInvalidRequestError &&
  (error.param === 'customer_email' || error.code === 'email_invalid');

/**
 * Creates the payment page of a checkout. Idempotent per checkout id, as long as the buyer has the same address. A buyer whose
 * address the provider refuses enters one on the page.
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
  const { successUrl, cancelUrl } = environment().payments;
  const metadata = { checkout_id: checkout.id };
  // Stripe rejects a repeated key with other parameters, so none of them may depend on the time.
  const parameters: Stripe.Checkout.SessionCreateParams = {
    mode: 'payment',
    client_reference_id: checkout.id,
    metadata,
    payment_intent_data: { metadata },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: checkout.currency,
          unit_amount: checkout.amount,
          product_data: { name: firstCharacters(checkout.title, PRODUCT_NAME_MAX) },
        },
      },
    ],
    success_url: withCheckoutId(successUrl, checkout.id),
    cancel_url: withCheckoutId(cancelUrl, checkout.id),
  };
  const session = await send(async ({ checkout: { sessions } }, options) => {
    const first = { ...options, idempotencyKey: checkout.id };
    if (buyer.email === null) return await sessions.create(parameters, first);
    try {
      return await sessions.create({ ...parameters, customer_email: buyer.email }, first);
    } catch (error) {
      if (!refusesAddress(error)) throw error;
      log.warn('the provider refuses the address of a buyer', { error: loggableReason(error) });
      // In the time that the first request has left. The key is another one, because the parameters are.
      return await sessions.create(parameters, {
        ...withinRequest(),
        idempotencyKey: `without-address-${checkout.id}`,
      });
    }
  });
  if (!session.url) throw unavailable('the session has no page');
  return { sessionId: session.id, url: session.url };
};

export type SessionState =
  | { readonly state: 'paid'; readonly payment: Payment }
  | { readonly state: 'open' | 'processing' | 'expired' | 'failed' };

/** Retrieves the state of a session; undefined when the provider has no such session. */
export const findSessionState = async (sessionId: string): Promise<SessionState | undefined> => {
  const session = await send(async (stripe, options) => {
    try {
      return await stripe.checkout.sessions.retrieve(sessionId, { expand: ['payment_intent'] }, options);
    } catch (error) {
      if (isInvalidRequest(error, 'resource_missing')) return undefined;
      throw error;
    }
  });
  if (!session) return undefined;
  if (session.payment_status === 'paid') return { state: 'paid', payment: parsePayment(session) };
  if (session.status === 'expired') return { state: 'expired' };
  const intent = typeof session.payment_intent === 'object' ? session.payment_intent?.status : undefined;
  if (session.status !== 'complete' || session.payment_status !== 'unpaid') return { state: 'open' };
  const hasFailed = intent === 'requires_payment_method' || intent === 'canceled';
  return { state: hasFailed ? 'failed' : 'processing' };
};

/** Retrieves the id of the checkout that a payment belongs to; undefined for a payment of another service. */
export const findCheckoutIdAtProvider = async (paymentIntent: string): Promise<string | undefined> => {
  const found = await send((stripe, options) =>
    stripe.checkout.sessions.list({ payment_intent: paymentIntent, limit: 1 }, options),
  );
  const [session] = found.data;
  return session && checkoutIdOf(session);
};

/**
 * Refunds what is left of the payment of a checkout, or a part of it. Idempotent.
 * @param part of the payment, in its smallest unit; refunded once per id, however late it is repeated.
 */
export const refund = async (
  checkout: { readonly id: string; readonly payment_intent: string | null },
  part?: { readonly id: string; readonly amount: number },
): Promise<void> => {
  const { id, payment_intent } = checkout;
  if (payment_intent === null) throw new Error(`The checkout ${id} has no payment to refund.`);
  await send(async (stripe, options) => {
    // Stripe forgets an idempotency key after a day.
    const known = part ? await stripe.refunds.list({ payment_intent, limit: 100 }, options) : undefined;
    if (known?.data.some(({ metadata }) => metadata?.part === part?.id)) return;
    const name = part?.id ?? ALL;
    const params = { payment_intent, ...(part && { amount: part.amount }), metadata: { part: name } };
    try {
      await stripe.refunds.create(params, { ...options, idempotencyKey: `refund-${id}-${name}` });
    } catch (error) {
      // It was refunded manually.
      if (!isInvalidRequest(error, 'charge_already_refunded')) throw error;
    }
  });
};

/** @throws 400 when a correctly signed body is not an event, or one without the members that the service reads. */
const readEvent = (body: Buffer): ProviderEvent | undefined => {
  try {
    // Leaves out a byte order mark.
    return parseProviderEvent(JSON.parse(new TextDecoder().decode(body)));
  } catch (error) {
    log.error('a signed request of the payment provider is not an event', { error });
    throw invalidInput('must be an event of the payment provider');
  }
};

/** Whether a body is signed with a secret, and dated at most `SIGNATURE_TOLERANCE_SECONDS` before or after a time. */
const isSigned = (
  body: Buffer,
  header: string,
  { secret: key, atMs }: { readonly secret: string; readonly atMs: number },
): boolean => {
  const { signature } = Stripe.webhooks;
  if (!signature) throw unavailable('the package cannot verify signatures');
  const isValidAt = (time: number): boolean => {
    try {
      return signature.verifyHeader(body, header, key, SIGNATURE_TOLERANCE_SECONDS, undefined, time);
    } catch {
      return false;
    }
  };
  // The package takes every time in the future. One that is more than the tolerance ahead is still valid when the tolerance has
  // passed twice, and every other one has become too old.
  return isValidAt(atMs) && !isValidAt(atMs + (2 * SIGNATURE_TOLERANCE_SECONDS + 1) * 1000);
};

/**
 * Verifies and reads a webhook event; undefined when it is irrelevant to the service.
 * @param body the raw bytes of the request, which the signature covers.
 * @throws 400 without a valid signature whose time is at most 5 minutes from now, in either direction, or when the body is not
 * an event; 503 when no signing secret is configured.
 */
export const verifyEvent = async (body: Buffer, signature: string | undefined): Promise<ProviderEvent | undefined> => {
  // During a rotation two secrets are valid, separated by a comma.
  const configured = (await readSecret('STRIPE_WEBHOOK_SECRET')) ?? '';
  const secrets = configured.split(',').flatMap((one) => one.trim() || []);
  if (secrets.length === 0) throw unavailable('no secret for webhooks is configured');
  const atMs = Date.now();
  if (!secrets.some((one) => isSigned(body, signature ?? '', { secret: one, atMs }))) {
    throw new AppError('INVALID_SIGNATURE');
  }
  return readEvent(body);
};
