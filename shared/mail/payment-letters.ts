import type { Message } from '#events/catalogue.ts';
import type { Letter, Letterhead } from './layout.ts';
import { greetingTo, priceOf, projectUrl, reasonFor } from './phrases.ts';

const bought = {
  submission: 'Your listing is in the queue for review now, on the premium plan.',
  upgrade: 'Your listing has the premium plan now.',
  promotion: 'Your promotion is booked. You find its dates in your account.',
} as const;

/** The letter for whoever paid. */
export const paymentLetter = (
  { data }: Message<'paymentSettled'>,
  recipient: string | null,
  head: Letterhead,
): Letter => ({
  subject: `We have received your payment of ${priceOf(data.amount, data.currency)}`,
  greeting: greetingTo(recipient),
  paragraphs: [
    `Thank you. Your payment of ${priceOf(data.amount, data.currency)} to ${head.siteName} has arrived.`,
    bought[data.purpose],
    `The number of this order is ${data.checkout_id}.`,
  ],
  ...(data.project_id !== null && { link: { label: 'See your listing', url: projectUrl(head, data.project_id) } }),
  reason: reasonFor('You get this because you paid for something.'),
});
