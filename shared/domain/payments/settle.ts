import { message } from '#domain/messages.ts';
import { factsOf } from '#domain/projects/facts.ts';
import { AppError } from '#shared/errors.ts';
import { type CheckoutRecord, wentBack } from './checkout.ts';
import { deliver } from './fulfil.ts';
import type { Payment } from './provider.ts';
import { entryOf, refundedMessage, type Settlement, type SettlePorts, settledMessage } from './settlement.ts';

/** What a piece of news makes of a checkout; undefined when it makes no difference any more. */
export type Decide<W> = (current: CheckoutRecord) => Promise<Omit<Settlement<W>, 'previous' | 'eventId'> | undefined>;

// Each try loses only to a write that went through, so many losses in a row mean as many changes to one checkout.
const TRIES = 30;

const OVERTAKEN = new Set(['CheckoutChanged', 'ProjectChanged', 'ConditionFailed']);

/** What a slug, an address, a place, a category or the buyer are refused as that have gone since they were looked at. */
const GONE = new Set(['SLUG_TAKEN', 'DUPLICATE_URL', 'SOLD_OUT', 'INVALID_INPUT', 'UNAUTHORIZED']);

/** Whether deciding anew can help: somebody was faster, or something has gone. */
const isOvertaken = (error: unknown): boolean =>
  error instanceof Error && (OVERTAKEN.has(error.name) || (error instanceof AppError && GONE.has(error.code)));

/**
 * Lets a piece of news about a checkout take effect once. When somebody else was faster it decides anew on what he left.
 * @returns whether it made a difference.
 */
export const settleCheckout = async <W>(
  ports: SettlePorts<W>,
  checkoutId: string,
  eventId: string | undefined,
  decide: Decide<W>,
): Promise<boolean> => {
  for (let attempt = 1; ; attempt += 1) {
    const previous = await ports.findCheckout(checkoutId);
    const decision = previous && (await decide(previous));
    if (!previous || !decision) return false;
    try {
      await ports.settle({ ...decision, eventId, previous });
      return true;
    } catch (error) {
      if (error instanceof Error && error.name === 'AlreadyReceived') return false;
      if (!isOvertaken(error) || attempt >= TRIES) throw error;
    }
  }
};

const advanced = (current: CheckoutRecord, at: string, changes: Partial<CheckoutRecord>): CheckoutRecord => ({
  ...current,
  ...changes,
  updated_at: at,
  version: current.version + 1,
});

/**
 * A payment came in. It counts whatever the checkout was taken for meanwhile, because the money is there. What cannot be
 * delivered any more is given back by a task.
 */
export const decidePaid =
  <W>(ports: SettlePorts<W>, payment: Payment): Decide<W> =>
  async (current) => {
    if (current.paid_at !== null) return undefined;
    const at = ports.now();
    const { sessionId, paymentIntent, amount, currency } = payment;
    const paid = { session_id: sessionId, payment_intent: paymentIntent ?? current.payment_intent, paid_at: at };
    const left = wentBack(current) ? 'refunded' : 'paid';
    const line = { type: 'payment', amount, currency, at } as const;

    if (amount !== current.amount || currency !== current.currency) {
      const { id, amount: asked, currency: askedIn } = current;
      ports.alarm('a payment does not fit what was asked', { checkout_id: id, asked, askedIn, amount, currency });
      const next = advanced(current, at, { ...paid, status: left });
      const note = `${asked} ${askedIn} was asked.`;
      return { next, entries: [entryOf(ports, next, { ...line, note })], messages: [] };
    }

    const delivery = await deliver(ports, current, at);
    if ('tooLate' in delivery) {
      const next = advanced(current, at, { ...paid, status: left });
      return {
        next,
        entries: [entryOf(ports, next, { ...line, note: delivery.tooLate })],
        messages: left === 'paid' ? [message(ports, 'refundDue', null, { checkout_id: current.id })] : [],
      };
    }
    const next = advanced(current, at, {
      ...paid,
      status: left === 'paid' ? 'fulfilled' : left,
      project_id: delivery.projectId,
    });
    return {
      next,
      entries: [entryOf(ports, next, line)],
      ...(delivery.project && { project: delivery.project }),
      ...(delivery.others && { others: delivery.others }),
      messages: [...delivery.messages, settledMessage(ports, next)],
    };
  };

/** A checkout ended without a payment. One that was paid after all stays as it is. */
export const decideEnded =
  <W>(ports: SettlePorts<W>, status: 'expired' | 'failed'): Decide<W> =>
  async (current) =>
    current.status === 'open'
      ? { next: advanced(current, ports.now(), { status }), entries: [], messages: [] }
      : undefined;

/** What a checkout has brought is taken back, as far as it still stands and stands because of this checkout. */
const takeBack = async <W>(
  ports: SettlePorts<W>,
  current: CheckoutRecord,
  at: string,
): Promise<Pick<Settlement<W>, 'project' | 'others' | 'messages'>> => {
  if (current.status !== 'fulfilled') return { messages: [] };
  if (current.kind === 'promotion') {
    return { others: await ports.promotionEndWrites(current.id, at), messages: [] };
  }
  const project = (await ports.findProject(current.project_id ?? ''))?.project;
  // A later payment may have bought the plan anew.
  if (!project || project.plan !== 'premium' || project.paid_at !== current.paid_at) return { messages: [] };
  const next = { ...project, plan: 'standard' as const, version: project.version + 1 };
  return {
    project: { replace: project, by: next },
    messages: [message(ports, 'projectUpdated', null, { ...factsOf(next), changed: ['plan'] })],
  };
};

/** Money was given back. Only when all of it is back, what it bought is gone too. */
export const decideRefunded =
  <W>(
    ports: SettlePorts<W>,
    news: { readonly paymentIntent: string; readonly amountRefunded: number; readonly full: boolean },
  ): Decide<W> =>
  async (current) => {
    // The provider tells the sum of all refunds, so news that were overtaken by later ones bring nothing.
    const step = news.amountRefunded - current.amount_refunded;
    if (step <= 0) return undefined;
    const at = ports.now();
    const taken = news.full ? await takeBack(ports, current, at) : { messages: [] };
    const next = advanced(current, at, {
      payment_intent: news.paymentIntent,
      amount_refunded: news.amountRefunded,
      ...(news.full && { status: 'refunded' as const }),
    });
    return {
      ...taken,
      next,
      entries: [entryOf(ports, next, { type: 'refund', amount: step, at })],
      messages: [...taken.messages, refundedMessage(ports, next, 'refund')],
    };
  };

/** The buyer's bank reclaimed the money. */
export const decideDisputed =
  <W>(ports: SettlePorts<W>, news: { readonly paymentIntent: string; readonly amount: number }): Decide<W> =>
  async (current) => {
    if (current.is_disputed) return undefined;
    const at = ports.now();
    const taken = await takeBack(ports, current, at);
    const next = advanced(current, at, {
      payment_intent: news.paymentIntent,
      is_disputed: true,
      status: 'refunded',
    });
    return {
      ...taken,
      next,
      entries: [entryOf(ports, next, { type: 'dispute', amount: news.amount, at })],
      messages: [...taken.messages, refundedMessage(ports, next, 'dispute')],
    };
  };
