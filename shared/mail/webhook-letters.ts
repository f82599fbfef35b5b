import type { Message } from '#events/catalogue.ts';
import type { Letter, Letterhead } from './layout.ts';
import { dayOf, greetingTo } from './phrases.ts';

/** The letter for administrators when a webhook was switched off. */
export const webhookDisabledLetter = (
  { data }: Message<'webhookDisabled'>,
  recipient: string | null,
  head: Letterhead,
): Letter => ({
  subject: `The webhook to ${data.host} was switched off`,
  greeting: greetingTo(recipient),
  paragraphs: [
    `Nothing has got through to the webhook at ${data.host} since ${dayOf(data.failing_since)}, so ${head.siteName} has stopped sending to it.`,
    `Its number is ${data.webhook_id}. Its deliveries say what went wrong. When the other side works again, switch it on; what it has missed can be sent again from there for 30 days.`,
  ],
  reason: `You get this because you are an administrator of ${head.siteName}.`,
});
