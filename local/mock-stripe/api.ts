import Fastify, { type FastifyRequest } from 'fastify';
import { stepOf } from '#contract/money.ts';
import { log } from '#platform/log.ts';
import { type MockEndpoint, serveMock } from '../listening.ts';
import {
  amountRefunded,
  type CheckoutSession,
  intentObject,
  type MockStripe,
  type NewSession,
  refundObject,
  sessionObject,
} from './mock-stripe.ts';

/** A request that Stripe would reject. */
class StripeApiError extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;
  /** The parameter that is wrong. */
  readonly param: string | undefined;

  constructor(message: string, more: { status?: number; type?: string; code?: string; param?: string } = {}) {
    super(message);
    this.status = more.status ?? 400;
    this.type = more.type ?? 'invalid_request_error';
    this.code = more.code;
    this.param = more.param;
  }
}

const BODY_MAX = 256 * 1024;

const missing = (resource: string, id: string): StripeApiError =>
  new StripeApiError(`No such ${resource}: '${id}'`, { status: 404, code: 'resource_missing' });

const required = (form: URLSearchParams, name: string): string => {
  const value = form.get(name);
  if (!value) throw new StripeApiError(`Missing required param: ${name}.`, { code: 'parameter_missing', param: name });
  return value;
};

const requiredInteger = (form: URLSearchParams, name: string): number => {
  const value = required(form, name);
  if (!/^\d{1,9}$/.test(value)) {
    throw new StripeApiError(`Invalid integer: ${value}`, { code: 'parameter_invalid_integer', param: name });
  }
  return Number(value);
};

const requiredAmount = (form: URLSearchParams, name: string, currency: string): number => {
  const amount = requiredInteger(form, name);
  const step = stepOf(currency);
  if (amount % step !== 0) {
    throw new StripeApiError(`Invalid amount: ${amount} in ${currency} must be a multiple of ${step}.`, {
      param: name,
    });
  }
  return amount;
};

/** What Stripe takes for an address, as far as it is known: the part before the @ is ASCII. */
const ADDRESS = /^[\x21-\x3f\x41-\x7e]+@[^\s@]+\.[^\s@]+$/;

const optionalAddress = (form: URLSearchParams, name: string): string | null => {
  const value = form.get(name);
  if (value === null || ADDRESS.test(value)) return value;
  throw new StripeApiError(`Invalid email address: ${value}`, { code: 'email_invalid', param: name });
};

const metadataOf = (form: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value]];
    }),
  );

const readNewSession = (form: URLSearchParams): NewSession => {
  if (required(form, 'mode') !== 'payment') {
    throw new StripeApiError('Only the mode payment is supported.', { param: 'mode' });
  }
  const price = 'line_items[0][price_data]';
  const currency = required(form, `${price}[currency]`).toLowerCase();
  return {
    reference: required(form, 'client_reference_id'),
    name: required(form, `${price}[product_data][name]`),
    amount: requiredAmount(form, `${price}[unit_amount]`, currency) * requiredInteger(form, 'line_items[0][quantity]'),
    currency,
    email: optionalAddress(form, 'customer_email'),
    metadata: metadataOf(form),
    success_url: required(form, 'success_url'),
    cancel_url: form.get('cancel_url') ?? required(form, 'success_url'),
  };
};

const getSession = (mockStripe: MockStripe, id: string): CheckoutSession => {
  const session = id.startsWith('cs_') ? mockStripe.find(id) : undefined;
  if (!session) throw missing('checkout.session', id);
  return session;
};

const getSessionOfIntent = (mockStripe: MockStripe, intent: string): CheckoutSession => {
  const session = intent.startsWith('pi_') ? mockStripe.find(intent) : undefined;
  if (!session) throw missing('payment_intent', intent);
  return session;
};

const refund = (mockStripe: MockStripe, form: URLSearchParams): object => {
  const session = getSessionOfIntent(mockStripe, required(form, 'payment_intent'));
  const amount = form.has('amount')
    ? requiredAmount(form, 'amount', session.currency)
    : session.amount - amountRefunded(session);
  const refunded =
    amount > 0 && mockStripe.applyOutcome(session.id, 'refunded', { amount, metadata: metadataOf(form) });
  const made = refunded && refunded.refunds.at(-1);
  if (!made) throw new StripeApiError('The refund exceeds the remaining amount.', { code: 'charge_already_refunded' });
  return refundObject(refunded, made);
};

const listRefunds = (mockStripe: MockStripe, form: URLSearchParams): object => {
  const session = getSessionOfIntent(mockStripe, required(form, 'payment_intent'));
  const data = session.refunds.map((one) => refundObject(session, one)).toReversed();
  return { object: 'list', url: '/v1/refunds', has_more: false, data };
};

/** The parameters of a request: the query of a GET, the form of a POST. */
const formOf = (request: FastifyRequest): URLSearchParams =>
  new URLSearchParams(request.method === 'GET' ? request.url.split('?')[1] : (request.body as string | undefined));

type Operation = (form: URLSearchParams, id: string) => object;

/**
 * Serves the part of Stripe's API that the service uses, on a port of its own. Requests need the secret key, and a POST
 * with an idempotency key is executed once.
 * @param origin of the payment pages.
 */
export const serveStripeApi = async (
  mockStripe: MockStripe,
  origin: string,
  secretKey: string,
): Promise<MockEndpoint> => {
  const app = Fastify({ bodyLimit: BODY_MAX, forceCloseConnections: true, exposeHeadRoutes: false });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'string' }, (_, body, done) => done(null, body));
  app.addHook('preHandler', async (request, reply) => {
    reply.header('request-id', 'req_local').type('application/json');
    if (request.headers.authorization !== `Bearer ${secretKey}`) {
      throw new StripeApiError('You did not provide a secret key.', { status: 401 });
    }
  });

  const idOf = (request: FastifyRequest): string => (request.params as { id?: string }).id ?? '';

  const get = (path: string, operation: Operation): void => {
    app.get(path, async (request, reply) => reply.send(JSON.stringify(operation(formOf(request), idOf(request)))));
  };
  const post = (path: string, operation: Operation): void => {
    app.post(path, async (request, reply) => {
      const key = request.headers['idempotency-key']?.toString();
      const fingerprint = `POST ${request.url.split('?')[0]} ${(request.body as string | undefined) ?? ''}`;
      const body = mockStripe.processOnce(key, fingerprint, () =>
        JSON.stringify(operation(formOf(request), idOf(request))),
      );
      if (body === undefined) {
        throw new StripeApiError('This idempotency key was used with other parameters.', { type: 'idempotency_error' });
      }
      return reply.send(body);
    });
  };

  post('/v1/checkout/sessions', (form) => sessionObject(mockStripe.open(readNewSession(form)), origin));
  get('/v1/checkout/sessions', (form) => {
    const found = mockStripe.find(form.get('payment_intent') ?? '');
    const data = found?.status === 'complete' ? [sessionObject(found, origin)] : [];
    return { object: 'list', url: '/v1/checkout/sessions', has_more: false, data };
  });
  get('/v1/checkout/sessions/:id', (form, id) =>
    sessionObject(getSession(mockStripe, id), origin, [...form.values()].includes('payment_intent')),
  );
  post('/v1/checkout/sessions/:id/expire', (_, id) => {
    const expired = mockStripe.applyOutcome(getSession(mockStripe, id).id, 'expired');
    if (!expired) throw new StripeApiError('Only open sessions can be expired.');
    return sessionObject(expired, origin);
  });
  post('/v1/refunds', (form) => refund(mockStripe, form));
  get('/v1/refunds', (form) => listRefunds(mockStripe, form));
  get('/v1/payment_intents/:id', (_, id) => intentObject(getSessionOfIntent(mockStripe, id)));

  app.setNotFoundHandler(({ method, url }) => {
    throw new StripeApiError(`Unrecognized request URL (${method}: ${url.split('?')[0]}).`, { status: 404 });
  });
  app.setErrorHandler((error, _, reply) => {
    if (error instanceof StripeApiError) {
      const { status, type, code, param, message } = error;
      return reply.code(status).send(JSON.stringify({ error: { type, code, param, message } }));
    }
    log.error('the mock Stripe API failed', { error: error as Error });
    return reply.code(500).send(JSON.stringify({ error: { type: 'api_error', message: 'The mock failed.' } }));
  });
  return await serveMock(app);
};
