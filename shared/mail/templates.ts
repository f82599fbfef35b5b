import type { Message } from '#events/catalogue.ts';
import { formatAmount, formatDate, greetingTo, projectUrl, withOptOut } from './format.ts';
import type { Branding, EmailContent } from './render.ts';

export type SubmissionKind =
  | 'projectSubmitted'
  | 'projectApproved'
  | 'projectRejected'
  | 'revisionApproved'
  | 'revisionRejected';

const fieldNames: Readonly<Record<string, string>> = {
  url: 'web address',
  slug: 'address of its page',
  logo_url: 'logo',
  video_url: 'video',
  pricing_type: 'pricing',
  address_city: 'city',
  address_country: 'country',
};

const listed = new Intl.ListFormat('en');

/** The fields as words of a sentence. */
const fieldsInWords = (fields: readonly string[]): string =>
  listed.format(fields.map((field) => fieldNames[field] ?? field.replaceAll('_', ' ')));

/** To the submitter: the project was received, or it or an edit of it was approved or rejected. */
export const submissionEmail = (
  event: Message<SubmissionKind>,
  recipientName: string | null,
  branding: Branding,
): EmailContent => {
  const { name, slug } = event.data;
  const greeting = greetingTo(recipientName);
  const reason = 'You get this email because you submitted this listing.';
  switch (event.kind) {
    case 'projectSubmitted':
      return {
        subject: `We have received ${name}`,
        greeting,
        paragraphs: [
          `Thank you for submitting ${name}. It is waiting for review, and we will email you as soon as it has been reviewed.`,
        ],
        reason: withOptOut(reason),
      };
    case 'projectApproved':
      return {
        subject: `${name} is live`,
        greeting,
        paragraphs: [`Good news: ${name} has been approved and is now public.`],
        link: { label: `See ${name}`, url: projectUrl(branding, slug) },
        reason,
      };
    case 'projectRejected':
      return {
        subject: `${name} was not accepted`,
        greeting,
        paragraphs: [
          event.data.reason
            ? `We have reviewed ${name} and cannot accept it as it is. The reviewer wrote:`
            : `We have reviewed ${name} and cannot accept it as it is.`,
        ],
        quote: event.data.reason,
        closing: ['You can edit your submission and submit it again.'],
        reason,
      };
    case 'revisionApproved': {
      const { fields, applied } = event.data;
      const others = fields.filter((field) => !applied.includes(field));
      return {
        subject: `Your changes to ${name} are live`,
        greeting,
        paragraphs: [
          `We have reviewed your changes to ${name}. Now public: ${fieldsInWords(applied)}.`,
          ...(others.length > 0 ? [`Not accepted: ${fieldsInWords(others)}.`] : []),
        ],
        link: { label: `See ${name}`, url: projectUrl(branding, slug) },
        reason,
      };
    }
    case 'revisionRejected':
      return {
        subject: `Your changes to ${name} were not accepted`,
        greeting,
        paragraphs: [
          `We have reviewed your changes to ${name} (${fieldsInWords(event.data.fields)}) and cannot accept them. What is public stays as it is. The reviewer wrote:`,
        ],
        quote: event.data.reason,
        closing: ['You can edit your listing again.'],
        reason,
      };
  }
};

const purchases = {
  submission: 'Your listing is now waiting for review, on the premium plan.',
  upgrade: 'Your listing now has the premium plan.',
  promotion: 'Your promotion is booked. Its dates are in your account.',
} as const;

/** To the buyer: the payment was received. */
export const paymentEmail = (
  { data }: Message<'paymentSettled'>,
  recipientName: string | null,
  branding: Branding,
): EmailContent => ({
  subject: `We have received your payment of ${formatAmount(data.amount, data.currency)}`,
  greeting: greetingTo(recipientName),
  paragraphs: [
    `Thank you. Your payment of ${formatAmount(data.amount, data.currency)} to ${branding.siteName} has arrived.`,
    purchases[data.purpose],
    `Your order number is ${data.checkout_id}.`,
  ],
  ...(data.project_id !== null && { link: { label: 'See your listing', url: projectUrl(branding, data.project_id) } }),
  reason: withOptOut('You get this email because you made a payment.'),
});

/** A promotion that ends soon. */
export interface EndingPromotion {
  readonly promotion_id: string;
  readonly project_slug: string;
  readonly project_name: string;
  /** The recipient. */
  readonly user_id: string;
  readonly ends_at: string;
}

/** To the buyer of a promotion: it ends soon. */
export const promotionEndingEmail = (
  promotion: EndingPromotion,
  recipientName: string | null,
  branding: Branding,
): EmailContent => ({
  subject: `The promotion of ${promotion.project_name} ends on ${formatDate(promotion.ends_at)}`,
  greeting: greetingTo(recipientName),
  paragraphs: [
    `Your promotion of ${promotion.project_name} runs until ${formatDate(promotion.ends_at)}. After that, your listing stays online without the promotion.`,
    'You can book another promotion at any time.',
  ],
  link: { label: `Go to ${promotion.project_name}`, url: projectUrl(branding, promotion.project_slug) },
  reason: withOptOut('You get this email because you have a promotion that ends soon.'),
});

/** To administrators: a webhook was switched off. */
export const webhookDisabledEmail = (
  { data }: Message<'webhookDisabled'>,
  recipientName: string | null,
  branding: Branding,
): EmailContent => ({
  subject: `The webhook to ${data.host} was switched off`,
  greeting: greetingTo(recipientName),
  paragraphs: [
    `All deliveries to the webhook at ${data.host} have failed since ${formatDate(data.failing_since)}, so ${branding.siteName} has stopped sending to it.`,
    `The id of the webhook is ${data.webhook_id}. The errors are listed with its deliveries. When the receiver works again, switch the webhook on; missed deliveries can be replayed for 30 days.`,
  ],
  reason: `You get this email because you are an administrator of ${branding.siteName}.`,
});
