import type { Checkout } from '#contract/payments.ts';
import { canSee } from '#domain/projects/policy.ts';
import type { ProjectParts } from '#domain/projects/view.ts';
import { projectView } from '#domain/projects/view.ts';
import { promotionOfCheckout } from '#domain/promotions/promotion.ts';
import type { UserRecord } from '#domain/users/user.ts';
import { notFound } from '#shared/errors.ts';
import type { CheckoutRecord } from './checkout.ts';

/** What reading a checkout takes. */
export interface ReadCheckoutPorts {
  readonly findCheckout: (checkoutId: string) => Promise<CheckoutRecord | undefined>;
  readonly findParts: (projectId: string) => Promise<ProjectParts | undefined>;
}

/** What became of a checkout, for its buyer and administrators. @throws 404 for everybody else. */
export const readCheckout = async (
  ports: ReadCheckoutPorts,
  caller: UserRecord,
  checkoutId: string,
): Promise<Checkout> => {
  const checkout = await ports.findCheckout(checkoutId);
  if (!checkout || (checkout.user_id !== caller.id && !caller.is_admin)) throw notFound();
  const parts = checkout.project_id === null ? undefined : await ports.findParts(checkout.project_id);
  return {
    id: checkout.id,
    kind: checkout.kind,
    status: checkout.status,
    amount: checkout.amount,
    currency: checkout.currency,
    amount_refunded: checkout.amount_refunded,
    placements: checkout.placements && [...checkout.placements],
    months: checkout.months,
    promotion_id:
      checkout.kind === 'promotion' && checkout.status === 'fulfilled' ? promotionOfCheckout(checkout.id) : null,
    checkoutUrl: checkout.status === 'open' ? checkout.checkout_url : null,
    project: parts && canSee(parts.project, caller) ? projectView(parts, caller) : null,
    created_at: checkout.created_at,
    paid_at: checkout.paid_at,
  };
};
