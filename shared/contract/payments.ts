import * as z from 'zod';
import { CheckoutStarted } from './checkout.ts';
import { data, page } from './envelope.ts';
import { paging, Reference, Timestamp } from './fields.ts';
import { Placement } from './placement.ts';
import { Project } from './projects.ts';
import { defineRoute } from './route.ts';

/** What can be bought: a premium submission, the premium plan of a project that exists, a promotion. */
export const CheckoutKind = z.enum(['submission', 'upgrade', 'promotion']);
export type CheckoutKind = z.infer<typeof CheckoutKind>;

/**
 * `open`: nobody has paid. `paid`: the money is there, what was bought is not. `fulfilled`: both are. `expired`, `failed`:
 * nothing was paid. `refunded`: the money went back, by a full refund or a dispute.
 */
export const CheckoutStatus = z.enum(['open', 'paid', 'fulfilled', 'expired', 'failed', 'refunded']);
export type CheckoutStatus = z.infer<typeof CheckoutStatus>;

/** For how many months a promotion can be bought at once. */
const MONTHS_MAX = 12;

const project_id = Reference.describe('Id or slug.');

/** What the caller wants to buy. A premium submission is bought by submitting it. */
export const CheckoutRequest = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('upgrade'), project_id }),
    z.object({
      kind: z.literal('promotion'),
      project_id,
      placements: z
        .array(Placement)
        .min(1, { error: 'must name at least one placement' })
        .max(20)
        .transform((all) => [...new Set(all)])
        .describe('Where the project is shown.'),
      months: z.int().min(1).max(MONTHS_MAX).describe('For how long.'),
    }),
  ])
  .meta({ id: 'CheckoutRequest' });
export type CheckoutRequest = z.infer<typeof CheckoutRequest>;

const Amount = z.int().min(0).describe('In the smallest unit of the currency, such as cents.');
const Currency = z.string().describe('ISO 4217 in lower case.');

/** A checkout as its buyer sees it. */
export const Checkout = z
  .object({
    id: z.string(),
    kind: CheckoutKind,
    status: CheckoutStatus,
    amount: Amount,
    currency: Currency,
    amount_refunded: Amount,
    placements: z.array(Placement).nullable().describe('What a promotion was bought for.'),
    months: z.int().nullable().describe('For how long.'),
    promotion_id: z.string().nullable().describe('The promotion that was bought, once it is paid.'),
    checkoutUrl: z.string().nullable().describe('The payment page, while the checkout is open.'),
    project: Project.nullable().describe('The project, when there is one.'),
    created_at: Timestamp,
    paid_at: Timestamp.nullable(),
  })
  .meta({ id: 'Checkout' });
export type Checkout = z.infer<typeof Checkout>;

/** A line of somebody's ledger. */
export const LedgerEntry = z
  .object({
    id: z.string().describe('`pay_` and a ULID.'),
    type: z.enum(['payment', 'refund', 'dispute']),
    checkout_id: z.string(),
    kind: CheckoutKind,
    project_id: z.string().nullable(),
    amount: Amount,
    currency: Currency,
    note: z.string().nullable().describe('What was unusual about it.'),
    created_at: Timestamp,
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const startCheckout = defineRoute('payments.startCheckout', {
  method: 'POST',
  path: '/api/payments/checkout',
  summary: 'Buy an upgrade or a promotion',
  description: 'For a project of the caller. Nothing changes until it is paid; what comes too late is refunded.',
  auth: 'user',
  tier: 'submission',
  body: CheckoutRequest,
  idempotent: true,
  replies: { 200: data(CheckoutStarted) },
  failures: ['NOT_FOUND', 'FORBIDDEN', 'ALREADY_PREMIUM', 'SOLD_OUT', 'PAYMENTS_UNAVAILABLE'],
  needs: ['table:get', 'table:query', 'table:write', 'stripe'],
});

export const readCheckout = defineRoute('payments.readCheckout', {
  method: 'GET',
  path: '/api/payments/checkouts/{checkout}',
  summary: 'Ask what became of a checkout',
  description: 'For its buyer and administrators; 404 for everybody else.',
  auth: 'user',
  tier: 'general',
  replies: { 200: data(Checkout) },
  failures: ['NOT_FOUND'],
  needs: ['table:get', 'table:query'],
});

export const list = defineRoute('payments.list', {
  method: 'GET',
  path: '/api/payments',
  summary: "List the caller's payments",
  description: 'The ledger: payments, refunds and disputes, newest first.',
  auth: 'user',
  tier: 'general',
  query: z.object(paging(40)),
  replies: { 200: page(LedgerEntry) },
  needs: ['table:query'],
});

export const stripe = defineRoute('webhooks.stripe', {
  method: 'POST',
  path: '/api/webhooks/stripe',
  summary: 'Hear from the payment provider',
  description:
    'Takes an event of Stripe, signed over the raw body not more than 5 minutes ago. Each takes effect exactly once; kinds that mean nothing here are taken and ignored. Anything but 200 makes the provider send it again.',
  auth: 'signature',
  tier: 'none',
  replies: { 200: data(z.object({ received: z.literal(true) })) },
  failures: ['PAYLOAD_TOO_LARGE', 'PAYMENTS_UNAVAILABLE'],
  needs: ['table:get', 'table:query', 'table:write', 'stripe'],
});
