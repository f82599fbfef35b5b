import { moneyInText } from '#contract/money.ts';
import type { Message } from '#events/catalogue.ts';
import {
  accountLink,
  type Branding,
  type EmailContent,
  formatDate,
  formatTime,
  greetingTo,
  projectUrl,
  withOptOut,
} from './render.ts';

export type SubmissionKind =
  | 'projectSubmitted'
  | 'projectApproved'
  | 'projectScheduled'
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
        ...accountLink(branding),
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
    case 'projectScheduled': {
      const time = formatTime(event.data.publish_at);
      return {
        subject: `${name} will be public on ${time}`,
        greeting,
        paragraphs: [
          `Good news: ${name} has been approved and becomes public on ${time}. Until then you can move this time, or clear it to publish the listing at once.`,
        ],
        ...accountLink(branding),
        reason,
      };
    }
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
        ...accountLink(branding),
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
          `We have reviewed your changes to ${name} (${fieldsInWords(event.data.fields)}) and cannot accept them. What is public stays as it is.${event.data.reason ? ' The reviewer wrote:' : ''}`,
        ],
        quote: event.data.reason,
        closing: ['You can edit your listing again.'],
        ...accountLink(branding),
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
  subject: `We have received your payment of ${moneyInText(data.amount, data.currency)}`,
  greeting: greetingTo(recipientName),
  paragraphs: [
    `Thank you. Your payment of ${moneyInText(data.amount, data.currency)} to ${branding.siteName} has arrived.`,
    purchases[data.purpose],
    `Your order number is ${data.checkout_id}.`,
  ],
  // A paid submission is not public yet.
  ...(data.project_id === null || data.purpose === 'submission'
    ? accountLink(branding)
    : { link: { label: 'See your listing', url: projectUrl(branding, data.project_id) } }),
  reason: withOptOut('You get this email because you made a payment.'),
});

/** To the new and to the former owner: a claim was applied. */
export const claimedEmail = (
  { data: { name, slug } }: Message<'projectClaimed'>,
  role: 'owner' | 'former owner',
  recipientName: string | null,
  branding: Branding,
): EmailContent => {
  const isOwner = role === 'owner';
  return {
    subject: isOwner ? `${name} is yours now` : `${name} has a new owner`,
    greeting: greetingTo(recipientName),
    paragraphs: [
      isOwner
        ? `Your claim of ${name} was accepted. You own the listing now, and can change it in your account.`
        : `A user who controls the site of ${name} has claimed the listing, and owns it now. You cannot change it any more.`,
      ...(isOwner ? [] : ['If you think that this is a mistake, please contact us.']),
    ],
    link: { label: `See ${name}`, url: projectUrl(branding, slug) },
    reason: isOwner
      ? 'You get this email because you claimed this listing.'
      : 'You get this email because you owned this listing.',
  };
};

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

/** The statistics of one of the recipient's own listings. */
export interface ListingStatistics {
  readonly name: string;
  readonly slug: string;
  /** In the week. */
  readonly views: number;
  /** In the week. */
  readonly clicks: number;
  /** In total. */
  readonly upvotes: number;
}

export interface WeeklyDigest {
  /** ISO 8601 week, such as `2026-W47`. */
  readonly week: string;
  /** How many listings were published in the week. */
  readonly newCount: number;
  /** The most upvoted of them. */
  readonly projects: readonly { readonly name: string; readonly slug: string; readonly description: string }[];
  /** The recipient's own listings. */
  readonly own?: readonly ListingStatistics[];
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

const statisticsNote = ({ views, clicks, upvotes }: ListingStatistics): string =>
  `Yours: ${counted(views, 'view', 'views')} and ${counted(clicks, 'click', 'clicks')} this week, ${counted(upvotes, 'upvote', 'upvotes')} in all.`;

const introductionOf = ({ newCount, projects, own = [] }: WeeklyDigest): string => {
  const ownFirst = own.length > 0 ? ' Your own listings come first.' : '';
  if (projects.length === 0) return 'No new listings were published this week. These are the statistics of your own:';
  if (newCount > projects.length) return `${newCount} listings were published this week.${ownFirst} Some of them:`;
  return own.length > 0 ? `${newCount} new this week.${ownFirst}` : 'These listings were published this week:';
};

/** The listings of a week, the recipient's own first. */
export const digestEmail = (digest: WeeklyDigest, recipientName: string | null, branding: Branding): EmailContent => ({
  subject:
    digest.newCount > 0
      ? `${digest.newCount} new on ${branding.siteName} this week`
      : `Your listings on ${branding.siteName} this week`,
  greeting: greetingTo(recipientName),
  paragraphs: [introductionOf(digest)],
  list: [
    ...(digest.own ?? []).map((own) => ({
      name: own.name,
      url: projectUrl(branding, own.slug),
      note: statisticsNote(own),
    })),
    ...digest.projects.map(({ name, slug, description }) => ({
      name,
      url: projectUrl(branding, slug),
      note: description,
    })),
  ],
  link: { label: 'See all', url: branding.siteUrl },
  reason: withOptOut('You get this email once a week because you have an account.'),
});

/** The new listings of a follow. */
export interface FollowedListings {
  readonly title: string;
  readonly projects: readonly { readonly name: string; readonly slug: string; readonly description: string }[];
  /** The address of all listings, when there are more new ones; null when these are all. */
  readonly allUrl: string | null;
}

/** New listings that match what the recipient follows. */
export const followDigestEmail = (
  followed: readonly FollowedListings[],
  recipientName: string | null,
  branding: Branding,
): EmailContent => {
  const count = followed.reduce((sum, { projects }) => sum + projects.length, 0);
  const isCut = followed.some(({ allUrl }) => allUrl !== null);
  const listings = counted(count, 'new listing', 'new listings');
  return {
    subject: `${isCut ? `More than ${listings}` : listings} on ${branding.siteName}`,
    greeting: greetingTo(recipientName),
    paragraphs: ['These listings are new among those that you follow:'],
    sections: followed.map(({ title, projects, allUrl }) => ({
      title,
      list: projects.map(({ name, slug, description }) => ({
        name,
        url: projectUrl(branding, slug),
        note: description,
      })),
      ...(allUrl !== null && { link: { label: 'More of these', url: allUrl } }),
    })),
    link: { label: 'What you follow', url: `${branding.siteUrl}/me` },
    reason: withOptOut('You get this email because you follow these listings.'),
  };
};
