import type { IncomingMessage, ServerResponse } from 'node:http';
import { log } from '#platform/log.ts';
import { readBody } from './body.ts';
import { type CheckoutDesk, intentObject, type NewSession, sessionObject } from './checkout.ts';
import { type ServedAlone, serveAlone } from './listening.ts';

/** A request that the provider would have refused. */
class Refused extends Error {
  readonly status: number;
  readonly type: string;
  readonly code: string | undefined;

  constructor(message: string, more: { status?: number; type?: string; code?: string } = {}) {
    super(message);
    this.status = more.status ?? 400;
    this.type = more.type ?? 'invalid_request_error';
    this.code = more.code;
  }
}

const BODY_MAX = 256 * 1024;

const missing = (what: string, id: string): Refused =>
  new Refused(`No such ${what}: '${id}'`, { status: 404, code: 'resource_missing' });

const required = (form: URLSearchParams, name: string): string => {
  const value = form.get(name);
  if (!value) throw new Refused(`Missing required param: ${name}.`);
  return value;
};

const wholeNumber = (form: URLSearchParams, name: string): number => {
  const value = required(form, name);
  if (!/^\d{1,9}$/.test(value)) throw new Refused(`Invalid integer: ${value} (${name}).`);
  return Number(value);
};

const metadataOf = (form: URLSearchParams): Record<string, string> =>
  Object.fromEntries(
    [...form].flatMap(([name, value]) => {
      const key = /^metadata\[(.+)\]$/.exec(name)?.[1];
      return key === undefined ? [] : [[key, value]];
    }),
  );

const readNewSession = (form: URLSearchParams): NewSession => {
  if (required(form, 'mode') !== 'payment') throw new Refused('Only the mode payment is rehearsed.');
  const price = 'line_items[0][price_data]';
  return {
    reference: required(form, 'client_reference_id'),
    name: required(form, `${price}[product_data][name]`),
    amount: wholeNumber(form, `${price}[unit_amount]`) * wholeNumber(form, 'line_items[0][quantity]'),
    currency: required(form, `${price}[currency]`).toLowerCase(),
    email: form.get('customer_email'),
    metadata: metadataOf(form),
    success_url: required(form, 'success_url'),
    cancel_url: form.get('cancel_url') ?? required(form, 'success_url'),
  };
};

interface Asked {
  readonly form: URLSearchParams;
  readonly id: string;
}

type Operation = (desk: CheckoutDesk, origin: string, asked: Asked) => object;

const sessionOf = (desk: CheckoutDesk, id: string) => {
  const session = id.startsWith('cs_') ? desk.find(id) : undefined;
  if (!session) throw missing('checkout.session', id);
  return session;
};

const refundOf: Operation = (desk, _, { form }) => {
  const intent = required(form, 'payment_intent');
  const session = intent.startsWith('pi_') ? desk.find(intent) : undefined;
  if (!session) throw missing('payment_intent', intent);
  const amount = form.has('amount') ? wholeNumber(form, 'amount') : session.amount - session.amount_refunded;
  if (amount === 0 || !desk.bring(session.id, 'refunded', amount)) {
    throw new Refused('There is not so much left to give back.', { code: 'charge_already_refunded' });
  }
  const { charge, currency } = session;
  return {
    id: `re_${charge.slice(3)}`,
    object: 'refund',
    amount,
    charge,
    currency,
    payment_intent: intent,
    status: 'succeeded',
  };
};

/** The calls that the service makes, by method and path; a star stands for an id. */
const operations: Readonly<Record<string, Operation>> = {
  'POST /v1/checkout/sessions': (desk, origin, { form }) => sessionObject(desk.open(readNewSession(form)), origin),
  'GET /v1/checkout/sessions': (desk, origin, { form }) => {
    const found = desk.find(form.get('payment_intent') ?? '');
    const data = found?.status === 'complete' ? [sessionObject(found, origin)] : [];
    return { object: 'list', url: '/v1/checkout/sessions', has_more: false, data };
  },
  'GET /v1/checkout/sessions/*': (desk, origin, { id, form }) =>
    sessionObject(sessionOf(desk, id), origin, [...form.values()].includes('payment_intent')),
  'POST /v1/checkout/sessions/*/expire': (desk, origin, { id }) => {
    const expired = desk.bring(sessionOf(desk, id).id, 'expired');
    if (!expired) throw new Refused('Only open sessions can be expired.');
    return sessionObject(expired, origin);
  },
  'POST /v1/refunds': refundOf,
  'GET /v1/payment_intents/*': (desk, _, { id }) => {
    const session = id.startsWith('pi_') ? desk.find(id) : undefined;
    if (!session) throw missing('payment_intent', id);
    return intentObject(session);
  },
};

const ID = /^(?:cs_test|pi)_[0-9a-z]+$/;

const matched = (method: string, path: string): { operation: Operation; id: string } => {
  const segments = path.split('/');
  const pattern = segments.map((segment) => (ID.test(segment) ? '*' : segment)).join('/');
  const operation = operations[`${method} ${pattern}`];
  if (!operation) throw new Refused(`Unrecognized request URL (${method}: ${path}).`, { status: 404 });
  return { operation, id: segments.find((segment) => ID.test(segment)) ?? '' };
};

/**
 * Serves the part of the payment provider's interface that the service uses, on a free port of the loopback: keys are
 * asked for, and a request under an idempotency key is done once.
 * @param origin where the payment pages are.
 */
export const serveCheckout = async (desk: CheckoutDesk, origin: string): Promise<ServedAlone> => {
  const answer = async (request: IncomingMessage): Promise<string> => {
    const method = request.method ?? '';
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const text = (await readBody(request, BODY_MAX)).toString('utf8');
    if (!/^Bearer sk_\S+$/.test(request.headers.authorization ?? '')) {
      throw new Refused('You did not provide a secret key.', { status: 401 });
    }
    const { operation, id } = matched(method, path);
    const form = new URLSearchParams(method === 'GET' ? query : text);
    const key = method === 'POST' ? request.headers['idempotency-key']?.toString() : undefined;
    const found = desk.once(key, `${method} ${path} ${text}`, () =>
      JSON.stringify(operation(desk, origin, { form, id })),
    );
    if (found === undefined) {
      throw new Refused('This idempotency key was used with other parameters.', { type: 'idempotency_error' });
    }
    return found;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: string): void => {
      const head = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'request-id': 'req_local',
      };
      response.writeHead(status, head).end(body);
    };
    try {
      send(200, await answer(request));
    } catch (error) {
      if (error instanceof Refused) {
        const { status, type, code, message } = error;
        send(status, JSON.stringify({ error: { type, code, message } }));
        return;
      }
      log.error('the local checkout failed', { error: error as Error });
      send(500, JSON.stringify({ error: { type: 'api_error', message: 'The rehearsal is at fault.' } }));
    }
  };

  return await serveAlone(handle);
};
