import { message, type Workshop } from '#domain/messages.ts';
import type { ProjectRecord } from '#domain/projects/project.ts';
import type { Purchase } from '#domain/promotions/purchase.ts';
import type { Message, MessageData } from '#events/catalogue.ts';
import type { CheckoutRecord, Draft } from './checkout.ts';
import type { LedgerRecord } from './ledger.ts';

/** A payment's effect on a project. */
export type ProjectStep =
  | { readonly insert: ProjectRecord }
  | { readonly replace: ProjectRecord; readonly by: ProjectRecord };

/**
 * Everything that follows from one piece of news about a checkout; it happens in one transaction or not at all.
 * @typeParam W a part of that transaction that another domain brings along; nobody here looks into it.
 */
export interface Settlement<W> {
  /** The provider's event, taken in together with its effect; absent where nobody has told but we have asked. */
  readonly eventId: string | undefined;
  readonly previous: CheckoutRecord;
  readonly next: CheckoutRecord;
  readonly entries: readonly LedgerRecord[];
  readonly project?: ProjectStep;
  readonly others?: readonly W[];
  readonly messages: readonly Message[];
}

/** What deciding on news about a checkout takes. */
export interface SettlePorts<W> extends Workshop {
  readonly findCheckout: (checkoutId: string) => Promise<CheckoutRecord | undefined>;
  /** What a premium submission said; gone some days after its checkout has ended. */
  readonly findDraft: (checkoutId: string) => Promise<Draft | undefined>;
  readonly findProject: (reference: string) => Promise<{ project: ProjectRecord } | undefined>;
  /** Whether there is such a user; an erased one is none. */
  readonly isUserThere: (userId: string) => Promise<boolean>;
  readonly takenSlugs: (slugs: readonly string[]) => Promise<ReadonlySet<string>>;
  /** The slugs that some categories have now; those that are gone are left out. */
  readonly categorySlugs: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Whether a project with this address would be refused because another has it. */
  readonly isAddressRefused: (url: string) => Promise<boolean>;
  /** The writes that activate a promotion; undefined when its places have been sold meanwhile. */
  readonly promotionWrites: (purchase: Purchase) => Promise<readonly W[] | undefined>;
  /** The writes that end the promotion that a checkout has bought, as far as it still runs. */
  readonly promotionEndWrites: (checkoutId: string, at: string) => Promise<readonly W[]>;
  /**
   * @throws errors named `AlreadyReceived` when the event has taken effect before, `CheckoutChanged` or `ProjectChanged`
   * when somebody was faster; 409, 400 and 401 when a slug, an address, a category or the buyer went meanwhile.
   */
  readonly settle: (settlement: Settlement<W>) => Promise<void>;
  /** Somebody has to look at it: a payment that does not fit what was asked. */
  readonly alarm: (problem: string, facts: Readonly<Record<string, unknown>>) => void;
}

/** A line in the buyer's ledger. */
export const entryOf = (
  ports: Workshop,
  checkout: CheckoutRecord,
  line: {
    readonly type: LedgerRecord['type'];
    readonly amount: number;
    readonly currency?: string;
    readonly note?: string;
    readonly at: string;
  },
): LedgerRecord => ({
  id: ports.newId('pay'),
  type: line.type,
  checkout_id: checkout.id,
  user_id: checkout.user_id,
  kind: checkout.kind,
  project_id: checkout.project_id,
  amount: line.amount,
  currency: line.currency ?? checkout.currency,
  note: line.note ?? null,
  created_at: line.at,
});

const factsOf = (checkout: CheckoutRecord): MessageData<'paymentSettled'> => ({
  checkout_id: checkout.id,
  purpose: checkout.kind,
  project_id: checkout.project_id,
  user_id: checkout.user_id,
  amount: checkout.amount,
  currency: checkout.currency,
});

/** Tells that a payment came in and what it bought was delivered. */
export const settledMessage = (ports: Workshop, checkout: CheckoutRecord): Message =>
  message(ports, 'paymentSettled', checkout.user_id, factsOf(checkout));

/** Tells that money went back. */
export const refundedMessage = (ports: Workshop, checkout: CheckoutRecord, reason: 'refund' | 'dispute'): Message =>
  message(ports, 'paymentRefunded', null, {
    ...factsOf(checkout),
    reason,
    amount_refunded: checkout.amount_refunded,
  });
