import { withoutErasedUsers } from '#data/erased-users.ts';
import { findCheckout } from '#data/payments.ts';
import { allAdmins, findUser } from '#data/users.ts';
import type { Message } from '#events/catalogue.ts';
import { isRefunded } from '#model/payment.ts';
import {
  claimedEmail,
  type EndingPromotion,
  paymentEmail,
  promotionEndingEmail,
  type SubmissionKind,
  submissionEmail,
  webhookDisabledEmail,
} from '#shared/mail/templates.ts';
import { mailOnce } from './mailer.ts';

/** Mails the submitter that a project was received, or that it or an edit was approved or rejected. Moderation results cannot be turned off. */
export const notifySubmitter = async (event: Message<SubmissionKind>): Promise<void> => {
  // A rule decided at once: only the mail about the decision goes out.
  if (event.kind === 'projectSubmitted' && event.data.status !== 'pending') return;
  const user = await findUser(event.data.owner_id);
  if (!user) return;
  const notification = event.kind === 'projectSubmitted' ? 'submission_received' : 'always';
  // The reason may be the words of an administrator.
  const current = await withoutErasedUsers(event);
  await mailOnce({ user, notification }, 'mail.notifySubmitter', event.id, (name, branding) =>
    submissionEmail(current, name, branding),
  );
};

/** Mails the buyer that a payment was received, unless it has been refunded since: the email would be wrong then. */
export const notifyBuyer = async (event: Message<'paymentSettled'>): Promise<void> => {
  const checkout = await findCheckout(event.data.checkout_id);
  if (checkout && isRefunded(checkout)) return;
  const user = await findUser(event.data.user_id);
  if (!user) return;
  await mailOnce({ user, notification: 'payment_received' }, 'mail.notifyBuyer', event.id, (name, branding) =>
    paymentEmail(event, name, branding),
  );
};

/** Mails the new owner of a claimed project and the former one. */
export const notifyOwners = async (event: Message<'projectClaimed'>): Promise<void> => {
  const { owner_id, previous_owner_id } = event.data;
  for (const id of [owner_id, previous_owner_id]) {
    const user = await findUser(id);
    if (!user) continue;
    const role = id === owner_id ? 'owner' : 'former owner';
    await mailOnce({ user, notification: 'always' }, 'mail.notifyOwners', `${event.id} ${role}`, (name, branding) =>
      claimedEmail(event, role, name, branding),
    );
  }
};

/**
 * Mails every administrator that a webhook was switched off. A failed email does not stop the others.
 * @throws AggregateError when some failed; calling again retries only those.
 */
export const notifyAdmins = async (event: Message<'webhookDisabled'>): Promise<void> => {
  const failures: unknown[] = [];
  for await (const user of allAdmins()) {
    try {
      await mailOnce(
        { user, notification: 'always' },
        'mail.notifyAdmins',
        `${event.id} ${user.id}`,
        (name, branding) => webhookDisabledEmail(event, name, branding),
      );
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Not all administrators could be mailed.');
};

/**
 * Mails the buyer that a promotion ends soon, once per end date: an extended promotion is announced again.
 * @returns whether the email was sent by this call.
 * @throws when the email was not accepted; calling again retries it.
 */
export const mailPromotionEnding = async (promotion: EndingPromotion): Promise<boolean> => {
  const user = await findUser(promotion.user_id);
  if (!user) return false;
  const occasion = `${promotion.promotion_id} ${promotion.ends_at}`;
  return await mailOnce(
    { user, notification: 'promotion_ending' },
    'mail.promotionEnding',
    occasion,
    (name, branding) => promotionEndingEmail(promotion, name, branding),
  );
};
