import * as z from 'zod';
import {
  data,
  integer,
  PageMeta,
  Placement,
  Placements,
  ProjectReference,
  page,
  paging,
  periodParameters,
  Reference,
  Timestamp,
} from './fields.ts';
import { AMOUNT_UNIT } from './money.ts';
import { CheckoutStarted, Project } from './projects.ts';
import { adminOnly, defineRoute } from './route.ts';

/** The purposes of a checkout: a premium submission, the premium plan for an existing project, a promotion. */
export const CheckoutKind = z.enum(['submission', 'upgrade', 'promotion']);
export type CheckoutKind = z.infer<typeof CheckoutKind>;

/**
 * `open`: unpaid. `processing`: a payment that takes days is under way, such as a bank debit. `paid`: paid, not yet
 * fulfilled. `fulfilled`: paid and delivered. `expired`, `failed`: ended without payment. `refunded`: fully refunded or
 * disputed, until a refund fails or a dispute is won.
 */
export const CheckoutStatus = z.enum(['open', 'processing', 'paid', 'fulfilled', 'expired', 'failed', 'refunded']);
export type CheckoutStatus = z.infer<typeof CheckoutStatus>;

export const PaymentState = z.enum(['processing', 'paid', 'fulfilled', 'refunded']);
export type PaymentState = z.infer<typeof PaymentState>;

/** The longest promotion that one checkout can buy, in months. */
const MONTHS_MAX = 12;

const project_id = Reference.describe('Id or slug.');

/** The part of a purchase that decides whether the caller may make it. */
export const CheckoutProject = z.object({ project_id });

/** A purchase. A premium submission is bought through the submission route instead. */
export const CheckoutRequest = z
  .discriminatedUnion('kind', [
    z.object({ kind: z.literal('upgrade'), project_id }),
    z.object({
      kind: z.literal('promotion'),
      project_id,
      placements: Placements.describe('The placements to buy.'),
      months: integer(1, MONTHS_MAX).describe('The duration in months.'),
    }),
  ])
  .meta({ id: 'CheckoutRequest' });
export type CheckoutRequest = z.infer<typeof CheckoutRequest>;

const Amount = z.int().min(0).describe(`Amount ${AMOUNT_UNIT}.`);
const Currency = z.string().describe('ISO 4217 in lower case.');

const refunds = {
  amount_refunded: z.int().min(0).describe('The sum of all refunds, in the smallest unit of `refund_currency`.'),
  refund_currency: Currency.describe('The currency of the refunds, ISO 4217 in lower case.'),
};

export const Checkout = z
  .object({
    id: z.string(),
    kind: CheckoutKind,
    status: CheckoutStatus,
    amount: Amount,
    currency: Currency,
    ...refunds,
    placements: z.array(Placement).nullable().describe('The placements of a promotion.'),
    months: z.int().nullable().describe('The duration in months.'),
    promotion_id: z.string().nullable().describe('The promotion, once it is paid.'),
    checkoutUrl: z.string().nullable().describe('The payment page, while the checkout is open.'),
    project: Project.nullable().describe('The project, if any.'),
    created_at: Timestamp,
    paid_at: Timestamp.nullable(),
  })
  .meta({ id: 'Checkout' });
export type Checkout = z.infer<typeof Checkout>;

export const LedgerEntry = z
  .object({
    id: z.string().describe('`pay_` and a ULID.'),
    type: z
      .enum(['payment', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'inquiry'])
      .describe(
        '`refund_failed`: a refund did not arrive, so its amount counts again. `dispute_won`: a dispute was decided in favour of the service, so the payment counts again. `inquiry`: the bank asks about the amount; nothing was withdrawn.',
      ),
    checkout_id: z.string(),
    kind: CheckoutKind,
    project_id: z.string().nullable(),
    amount: Amount,
    currency: Currency,
    note: z.string().nullable().describe('A remark on an unusual payment.'),
    created_at: Timestamp,
  })
  .meta({ id: 'LedgerEntry' });
export type LedgerEntry = z.infer<typeof LedgerEntry>;

export const startCheckout = defineRoute('payments.startCheckout', {
  method: 'POST',
  path: '/api/payments/checkout',
  summary: 'Buy an upgrade or a promotion',
  description:
    'For a project of the caller; a promotion for a live one only. 409 `IN_PROGRESS` while a payment for the upgrade, or for one of the placements, is under way. Nothing changes before payment. A payment that comes too late is refunded, such as one for a promotion whose slots are taken or whose project is no longer live.',
  auth: 'user',
  tier: 'submission',
  body: CheckoutRequest,
  idempotent: true,
  responses: { 200: data(CheckoutStarted) },
  failures: [
    'NOT_FOUND',
    'FORBIDDEN',
    'ALREADY_PREMIUM',
    'SOLD_OUT',
    'NOT_LIVE',
    'IN_PROGRESS',
    'PAYMENTS_UNAVAILABLE',
  ],
  permissions: ['table:get', 'table:query', 'stripe'],
  writes: ['checkouts'],
});

export const readCheckout = defineRoute('payments.readCheckout', {
  method: 'GET',
  path: '/api/payments/checkouts/{checkout}',
  summary: 'Read a checkout',
  description: 'For its buyer and administrators; 404 for other callers.',
  auth: 'user',
  tier: 'general',
  responses: { 200: data(Checkout) },
  failures: ['NOT_FOUND'],
  permissions: ['table:get', 'table:query'],
});

export const list = defineRoute('payments.list', {
  method: 'GET',
  path: '/api/payments',
  summary: "List the caller's payments",
  description: 'The ledger, newest first. Refunds and disputes are in their own currency.',
  auth: 'user',
  tier: 'general',
  query: z.object(paging(40)),
  responses: { 200: page(LedgerEntry) },
  permissions: ['table:query'],
});

const Money = z.object({
  paid: z.int().describe(`What was received, ${AMOUNT_UNIT}.`),
  refunded: z.int().describe('Refunds and disputes, without refunds that failed and disputes that were won.'),
  net: z.int().describe('`paid` less `refunded`.'),
});

export const AdminPayment = z
  .object({
    id: z.string().describe('The checkout, `chk_` and a ULID.'),
    kind: CheckoutKind,
    state: PaymentState.describe(
      '`processing`: under way, for days with some payment methods. `paid`: received, but neither delivered nor refunded. `refunded`: fully refunded or disputed.',
    ),
    title: z.string().describe('The product name on the payment page.'),
    amount: Amount.describe(`The price that was quoted, ${AMOUNT_UNIT}.`),
    currency: Currency,
    ...refunds,
    is_disputed: z.boolean().describe('Whether a dispute is open or was lost.'),
    has_inquiry: z.boolean().describe("Whether the buyer's bank asks about the payment, which stays until it decides."),
    problem: z
      .enum(['refund_due', 'mismatch'])
      .nullable()
      .describe(
        '`refund_due`: it could not be delivered, or not all of it, and was not refunded by the service. `mismatch`: another amount or currency was paid. Null once the whole payment is refunded.',
      ),
    user: z.object({ id: z.string(), name: z.string().nullable() }).describe('The buyer.'),
    project: ProjectReference.nullable(),
    placements: z.array(Placement).nullable(),
    months: z.int().nullable(),
    session_id: z.string().nullable().describe("The provider's checkout session."),
    payment_intent: z.string().nullable().describe("The provider's payment."),
    created_at: Timestamp,
    paid_at: Timestamp.nullable().describe('When it was received; null while it is under way.'),
  })
  .meta({ id: 'AdminPayment' });
export type AdminPayment = z.infer<typeof AdminPayment>;

export const browse = defineRoute('payments.browse', {
  ...adminOnly,
  method: 'GET',
  path: '/api/admin/payments',
  summary: 'List all payments with their totals',
  description:
    'The checkouts that were paid, by the time of payment, and those whose payment is under way, by the time at which it began, newest first. Totals and months are of the whole period, whatever `state` and page are: payments count on the day on which they were received, refunds and disputes on the day on which they were reported.',
  query: z.object({
    state: PaymentState.optional().describe('Only payments in this state.'),
    from: periodParameters.from.describe('The first day (UTC); of a time, its day.'),
    to: periodParameters.to.describe('The last day (UTC), included; of a time, its day.'),
    ...paging(40),
  }),
  responses: {
    200: z.object({
      data: z.array(AdminPayment),
      meta: PageMeta.extend({
        totals: z.record(z.string(), Money).describe('By currency, ISO 4217 in lower case.'),
        months: z
          .array(z.object({ month: z.string().describe('`yyyy-mm`, UTC.'), currency: Currency, ...Money.shape }))
          .describe('Months with payments, refunds or disputes, newest first.'),
        unreconciled: z.int().min(0).describe('The number of payments in the state `paid`.'),
      }).meta({ id: 'PaymentsMeta' }),
    }),
  },
  permissions: ['table:get', 'table:query', 'table:feed'],
});
